import fc from "fast-check";

/**
 * The part of JSON Schema 2020-12 that the OpenAPI document uses: validates values, generates them, and makes them
 * invalid.
 */
export type Schema = boolean | { readonly [keyword: string]: unknown };
type Keywords = { readonly [keyword: string]: unknown };
type Json = Record<string, unknown>;

/** Keywords that do not constrain a value. */
const ANNOTATIONS = new Set([
  "description",
  "examples",
  "default",
  "deprecated",
  "format",
  "contentEncoding",
  "contentMediaType",
]);

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeName(value) === type;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const regexes = new Map<string, RegExp>();
function matches(pattern: unknown, text: string): boolean {
  const source = String(pattern);
  const regex = regexes.get(source) ?? new RegExp(source, "u");
  regexes.set(source, regex);
  return regex.test(text);
}

const lengthOf = (text: string) => [...text].length;

type Check = (expected: unknown, value: unknown, schema: Keywords) => boolean;

/** Validates values against schemas of one document and follows its `#/…` references. */
export class SchemaReader {
  constructor(private readonly document: Json) {}

  resolve(schema: Schema): Schema {
    if (typeof schema === "boolean" || schema.$ref === undefined) return schema;
    const path = String(schema.$ref).replace(/^#\//, "").split("/");
    const found = path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), this.document);
    if (!isRecord(found)) throw new Error(`${String(schema.$ref)} is not in the document`);
    return found;
  }

  /** Path and keyword of each violation of the schema; empty when the value is valid. Throws for an unknown keyword. */
  errors(schema: Schema, value: unknown, path = ""): string[] {
    const known = this.resolve(schema);
    if (typeof known === "boolean") return known ? [] : [`${path}: is not allowed`];
    return Object.entries(known).flatMap(([keyword, expected]) => {
      if (ANNOTATIONS.has(keyword)) return [];
      const inner = this.#inner(keyword, expected, value, known, path);
      if (inner !== null) return inner;
      const check = CHECKS[keyword];
      if (check === undefined) throw new Error(`the validator does not know '${keyword}'`);
      return check(expected, value, known)
        ? []
        : [`${path}: ${keyword} ${JSON.stringify(expected)?.slice(0, 80)}`];
    });
  }

  fits(schema: Schema, value: unknown): boolean {
    return this.errors(schema, value).length === 0;
  }

  /** Checks the keywords that contain schemas. */
  #inner(
    keyword: string,
    expected: unknown,
    value: unknown,
    schema: Keywords,
    path: string,
  ): string[] | null {
    switch (keyword) {
      case "properties":
        return !isRecord(value) ? [] : this.#fields(expected as Json, value, path);
      case "additionalProperties": {
        if (!isRecord(value)) return [];
        const named = isRecord(schema.properties) ? schema.properties : {};
        const others = Object.entries(value).filter(([name]) => !Object.hasOwn(named, name));
        return others.flatMap(([name, one]) => this.errors(expected as Schema, one, `${path}.${name}`));
      }
      case "propertyNames":
        if (!isRecord(value)) return [];
        return Object.keys(value).flatMap((name) => this.errors(expected as Schema, name, `${path}.${name}`));
      case "dependentSchemas": {
        if (!isRecord(value)) return [];
        const due = Object.entries(expected as Json).filter(([name]) => Object.hasOwn(value, name));
        return due.flatMap(([, one]) => this.errors(one as Schema, value, path));
      }
      case "items":
        if (!Array.isArray(value)) return [];
        return value.flatMap((one, index) => this.errors(expected as Schema, one, `${path}[${index}]`));
      case "contains":
        if (!Array.isArray(value) || value.some((one) => this.fits(expected as Schema, one))) return [];
        return [`${path}: contains`];
      case "allOf":
        return (expected as Schema[]).flatMap((one) => this.errors(one, value, path));
      case "anyOf":
        return (expected as Schema[]).some((one) => this.fits(one, value)) ? [] : [`${path}: anyOf`];
      case "oneOf": {
        const fitting = (expected as Schema[]).filter((one) => this.fits(one, value)).length;
        return fitting === 1 ? [] : [`${path}: oneOf, ${fitting} fit`];
      }
      case "not":
        return this.fits(expected as Schema, value) ? [`${path}: not ${JSON.stringify(expected)}`] : [];
      default:
        return null;
    }
  }

  #fields(properties: Json, value: Json, path: string): string[] {
    return Object.entries(properties).flatMap(([name, field]) =>
      Object.hasOwn(value, name) ? this.errors(field as Schema, value[name], `${path}.${name}`) : [],
    );
  }
}

const CHECKS: Readonly<Record<string, Check>> = {
  type: (type, value) => [type].flat().some((one) => isOfType(value, one)),
  enum: (values, value) => (values as unknown[]).some((one) => isSame(one, value)),
  const: (expected, value) => isSame(expected, value),
  required: (names, value) =>
    !isRecord(value) || (names as string[]).every((name) => Object.hasOwn(value, name)),
  maxProperties: (max, value) => !isRecord(value) || Object.keys(value).length <= Number(max),
  minItems: (min, value) => !Array.isArray(value) || value.length >= Number(min),
  maxItems: (max, value) => !Array.isArray(value) || value.length <= Number(max),
  uniqueItems: (isUnique, value) =>
    !isUnique ||
    !Array.isArray(value) ||
    new Set(value.map((one) => JSON.stringify(one))).size === value.length,
  minimum: (min, value) => typeof value !== "number" || value >= Number(min),
  maximum: (max, value) => typeof value !== "number" || value <= Number(max),
  minLength: (min, value) => typeof value !== "string" || lengthOf(value) >= Number(min),
  maxLength: (max, value) => typeof value !== "string" || lengthOf(value) <= Number(max),
  pattern: (pattern, value) => typeof value !== "string" || matches(pattern, value),
};

/** The conjunction of two schemas as one without `allOf`; a field in both must match both. */
function merged(one: Keywords, other: Keywords): Keywords {
  const joined: Json = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const before = joined[keyword];
    if (before === undefined || isSame(before, value)) joined[keyword] = value;
    else if (keyword === "required")
      joined.required = [...new Set([...(before as string[]), ...(value as string[])])];
    else if (keyword === "properties") joined.properties = mergedFields(before as Json, value as Json);
    // Keywords that cannot be merged are checked by the final filter.
    else if (keyword === "const" || keyword === "enum") joined[keyword] = value;
  }
  return joined;
}

function mergedFields(one: Json, other: Json): Json {
  const joined = { ...one };
  for (const [name, field] of Object.entries(other)) {
    const before = joined[name];
    joined[name] = isRecord(before) && isRecord(field) ? merged(before, field) : field;
  }
  return joined;
}

/** Generates values that match schemas of one document. */
export class SchemaArbitrary {
  /** Arbitraries by depth and schema: a part that many bodies share is built once, since building takes most of the time. */
  readonly #built = new Map<string, fc.Arbitrary<unknown>>();

  constructor(private readonly reader: SchemaReader) {}

  /** Valid values; each one is validated. */
  of(schema: Schema): fc.Arbitrary<unknown> {
    return this.#raw(schema, 0).filter((value) => this.reader.fits(schema, value));
  }

  #raw(given: Schema, depth: number): fc.Arbitrary<unknown> {
    const name = `${depth} ${JSON.stringify(given)}`;
    const built = this.#built.get(name) ?? this.#build(given, depth);
    this.#built.set(name, built);
    return built;
  }

  #build(given: Schema, depth: number): fc.Arbitrary<unknown> {
    const schema = this.reader.resolve(given);
    if (typeof schema === "boolean" || isJsonValue(given)) return anyJson(this.reader, given);
    const flat = this.#flat(schema);
    if (flat.length > 1) return fc.oneof(...flat.map((one) => this.#raw(one, depth)));
    const [only = schema] = flat;
    if (only !== schema) return this.#raw(only, depth);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    const types = [schema.type].flat();
    return types.length > 1
      ? fc.oneof(...types.map((type) => this.#typed({ ...schema, type }, depth)))
      : this.#typed(schema, depth);
  }

  /** The schema's alternatives, each without anyOf, oneOf and allOf; only itself when it has none. */
  #flat(schema: Keywords): Keywords[] {
    const { anyOf, oneOf, allOf, ...base } = schema;
    const groups = [anyOf, oneOf, ...(Array.isArray(allOf) ? allOf.map((one) => [one]) : [])];
    const choices = groups.filter((group): group is Schema[] => Array.isArray(group));
    if (choices.length === 0) return [schema];
    return choices.reduce<Keywords[]>(
      (bases, group) =>
        bases.flatMap((one) =>
          group.flatMap((part) => {
            const known = this.reader.resolve(part);
            return typeof known === "boolean" ? [] : this.#flat(merged(one, known));
          }),
        ),
      [base],
    );
  }

  #typed(schema: Keywords, depth: number): fc.Arbitrary<unknown> {
    switch (schema.type ?? (schema.properties === undefined ? undefined : "object")) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return integers(schema);
      case "number":
        return fc.double({
          min: Number(schema.minimum ?? -1e9),
          max: Number(schema.maximum ?? 1e9),
          noNaN: true,
        });
      case "string":
        return strings(schema);
      case "array":
        return this.#arrays(schema, depth);
      case "object":
        return this.#objects(schema, depth);
      default:
        return anyJson(this.reader, schema);
    }
  }

  #arrays(schema: Keywords, depth: number): fc.Arbitrary<unknown> {
    const minItems = Number(schema.minItems ?? 0);
    const maxItems = Math.min(Number(schema.maxItems ?? 3), minItems + (depth > 3 ? 1 : 3));
    const item = this.#raw((schema.items ?? true) as Schema, depth + 1);
    const bounds = { minLength: minItems, maxLength: maxItems };
    const list = schema.uniqueItems
      ? fc.uniqueArray(item, { ...bounds, selector: (one) => JSON.stringify(one) })
      : fc.array(item, bounds);
    if (schema.contains === undefined) return list;
    const one = merged(
      (this.reader.resolve(schema.items as Schema) || {}) as Keywords,
      schema.contains as Keywords,
    );
    return fc
      .tuple(list, this.#raw(one, depth + 1))
      .map(([others, contained]) => [contained, ...others.slice(0, Math.max(0, maxItems - 1))]);
  }

  #objects(schema: Keywords, depth: number): fc.Arbitrary<unknown> {
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    const required = (schema.required ?? []) as string[];
    const possible = Object.entries(properties).filter(([, field]) => !isImpossible(field));
    const deep = depth > 5 ? possible.filter(([name]) => required.includes(name)) : possible;
    const fields = Object.fromEntries(deep.map(([name, field]) => [name, this.#raw(field, depth + 1)]));
    // Few optional fields: with half of them, values would almost always have fields that exclude each other.
    const optional = Object.keys(fields).filter((name) => !required.includes(name));
    const named = fc
      .subarray(optional, { maxLength: Math.min(optional.length, 5) })
      .chain((names) => fc.record(pick(fields, [...required.filter((name) => name in fields), ...names])));
    const others = schema.additionalProperties;
    if (others === undefined || others === false || depth > 2) return named;
    const name =
      schema.propertyNames === undefined ? fc.string() : strings(this.#names(schema.propertyNames));
    const extra = fc.dictionary(name, this.#raw(others as Schema, depth + 1), {
      maxKeys: 2,
      noNullPrototype: true,
    });
    const taken = (key: string) => Object.hasOwn(properties, key);
    return fc.tuple(named, fc.option(extra, { nil: {}, freq: 2 })).map(([known, more]) => ({
      ...Object.fromEntries(Object.entries(more).filter(([key]) => !taken(key))),
      ...known,
    }));
  }

  #names(schema: unknown): Keywords {
    const known = this.reader.resolve(schema as Schema);
    if (typeof known === "boolean") return {};
    const [flat = known] = this.#flat(known);
    return flat;
  }
}

function pick(fields: Record<string, fc.Arbitrary<unknown>>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  );
}

function isJsonValue(schema: Schema): boolean {
  return typeof schema === "object" && schema.$ref === "#/components/schemas/JsonValue";
}

function isImpossible(schema: Schema): boolean {
  return schema === false || (typeof schema === "object" && isSame(schema.not, {}));
}

function anyJson(reader: SchemaReader, schema: Schema): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 2 }).filter((value) => reader.fits(schema, value));
}

function integers(schema: Keywords): fc.Arbitrary<number> {
  const min = Number(schema.minimum ?? Number.MIN_SAFE_INTEGER);
  const max = Number(schema.maximum ?? Number.MAX_SAFE_INTEGER);
  return fc.oneof(
    fc.constantFrom(min, max),
    fc.integer({ min: Math.max(min, -2e9), max: Math.min(max, 2e9) }),
  );
}

/** Longest generated string: longer ones test no further limit and slow down every run. */
const MAX_LENGTH = 5_000;

/** Characters of short texts. One arbitrary: fast-check takes milliseconds to look at each new one. */
const LETTERS = fc.constantFrom("a", "B", "7", " ", "_");

const known = new Map<string, fc.Arbitrary<string>>();

/** The arbitrary of this name, created once: creating one of any characters or of a pattern takes some 10 ms. */
function once(name: string, create: () => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const arbitrary = known.get(name) ?? create();
  known.set(name, arbitrary);
  return arbitrary;
}

function strings(schema: Keywords): fc.Arbitrary<string> {
  const minLength = Number(schema.minLength ?? 0);
  const maxLength = Math.min(Number(schema.maxLength ?? MAX_LENGTH), MAX_LENGTH);
  const usual = Math.min(maxLength, Math.max(24, minLength + 8));
  const bounds = { minLength, maxLength: usual };
  const free = fc.string({ ...bounds, unit: LETTERS });
  const wild = once(`${minLength}-${usual}`, () => fc.string({ ...bounds, unit: "binary" }));
  const full = fc.constantFrom("a", "ü", "🎙").map((one) => one.repeat(maxLength));
  const pattern = schema.pattern === undefined ? null : String(schema.pattern);
  const matching = (source: string) => once(`/${source}/`, () => fc.stringMatching(new RegExp(source, "u")));
  const made = fc.oneof(
    ...(pattern === null ? [] : [{ weight: 6, arbitrary: matching(pattern) }]),
    { weight: 2, arbitrary: free },
    { weight: 2, arbitrary: wild },
    // A text that is shorter than the limit would not test it.
    ...(Number(schema.maxLength) <= MAX_LENGTH ? [{ weight: 1, arbitrary: full }] : []),
  );
  const reader = new SchemaReader({});
  return made.filter((text) => reader.fits({ ...schema, type: "string" }, text));
}

export interface Broken {
  /** The change: `name: left out`. */
  what: string;
  value: unknown;
}

/** Invalid variants of a value, each with one change. */
export function broken(reader: SchemaReader, schema: Schema, value: unknown): Broken[] {
  return mutations(reader, schema, value, "").filter((one) => !reader.fits(schema, one.value));
}

function mutations(reader: SchemaReader, given: Schema, value: unknown, path: string): Broken[] {
  const schema = reader.resolve(given);
  if (typeof schema === "boolean") return [];
  const own = wrongValues(schema).map((wrong) => ({
    what: `${path || "body"}: ${wrong.what}`,
    value: wrong.value,
  }));
  if (Array.isArray(value) && value.length > 0) {
    const [first, ...rest] = value;
    const inner = mutations(reader, (schema.items ?? true) as Schema, first, `${path}[0]`);
    return [...own, ...inner.map((one) => ({ ...one, value: [one.value, ...rest] }))];
  }
  if (!isRecord(value)) return own;
  const fields = (schema.properties ?? {}) as Record<string, Schema>;
  const missing = Object.keys(value).map((name) => {
    const { [name]: _, ...rest } = value;
    return { what: `${path}.${name}: left out`, value: rest };
  });
  const inner = Object.entries(fields).flatMap(([name, field]) =>
    mutations(reader, field, value[name], `${path}.${name}`).map((one) => ({
      ...one,
      value: { ...value, [name]: one.value },
    })),
  );
  const unknown = { what: `${path}.no_such_field: added`, value: { ...value, no_such_field: 1 } };
  return [...own, ...missing, ...inner, unknown];
}

/** Values that violate each keyword. */
function wrongValues(schema: Keywords): Broken[] {
  const wrong: Broken[] = [
    { what: "of another type", value: [["x"]] },
    { what: "an object", value: { wrong: true } },
    { what: "null", value: null },
    { what: "a number", value: 1.5 },
    { what: "a word", value: "not a valid word" },
    { what: "empty", value: "" },
  ];
  const add = (keyword: string, make: (bound: number) => unknown) => {
    const bound = schema[keyword];
    if (typeof bound === "number" && Math.abs(bound) < 70_000)
      wrong.push({ what: `beyond ${keyword}`, value: make(bound) });
  };
  add("maxLength", (max) => "a".repeat(max + 1));
  add("minLength", (min) => "a".repeat(Math.max(0, min - 1)));
  add("maximum", (max) => max + 1);
  add("minimum", (min) => min - 1);
  return wrong;
}
