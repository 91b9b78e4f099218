import { type OpenApiDocument, resolve, type Schema } from "./document";

/** One field of a body, as a line of a table. */
export interface SchemaRow {
  /** Dotted, lists with `[]`: `contents[].parts[].text`. */
  path: string;
  depth: number;
  /** `string`, `number or null`, `list of string`, `"mp3" or "opus"`. */
  type: string;
  isRequired: boolean;
  /** Bounds and default in short: `≤ 4096 characters`. */
  rules: string[];
  description: string;
}

const MAX_DEPTH = 7;
const MAX_CHOICES = 16;

function unique(words: string[]): string[] {
  return [...new Set(words)];
}

function choicesOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_CHOICES).map((value) => JSON.stringify(value));
  return values.length > MAX_CHOICES ? `${shown.join(" | ")} | …` : shown.join(" | ");
}

/** Alternatives of a schema; one that has none is its own only one. */
function alternatives(document: OpenApiDocument, schema: Schema): Schema[] {
  const known = resolve(document, schema);
  const options = known.anyOf ?? known.oneOf;
  // Beside a type they are conditions on it.
  return options === undefined || known.type !== undefined
    ? [known]
    : options.flatMap((one) => alternatives(document, one));
}

/** A type in words. */
export function typeOf(document: OpenApiDocument, schema: Schema): string {
  const words = alternatives(document, schema).flatMap((one) => {
    if (one.const !== undefined) return [JSON.stringify(one.const)];
    if (one.enum !== undefined) return [choicesOf(one.enum)];
    const types = Array.isArray(one.type) ? one.type : [one.type ?? (one.properties ? "object" : "any")];
    return types.map((type) => {
      if (type === "array") return one.items ? `[${typeOf(document, one.items)}]` : "[any]";
      if (type === "string" && one.format === "date-time") return "date-time";
      return type;
    });
  });
  return unique(words).join(" | ");
}

function rulesOf(schema: Schema): string[] {
  const rules: string[] = [];
  // Whole numbers come with the bounds of what JSON can hold; they say nothing.
  const isTold = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isTold(schema.minimum)) rules.push(`≥ ${schema.minimum}`);
  if (isTold(schema.maximum)) rules.push(`≤ ${schema.maximum}`);
  if (schema.minLength !== undefined && schema.minLength > 1) rules.push(`length ≥ ${schema.minLength}`);
  if (schema.maxLength !== undefined) rules.push(`length ≤ ${schema.maxLength}`);
  if (schema.minItems !== undefined) rules.push(`items ≥ ${schema.minItems}`);
  if (schema.maxItems !== undefined) rules.push(`items ≤ ${schema.maxItems}`);
  if (schema.default !== undefined) rules.push(`default ${JSON.stringify(schema.default)}`);
  return rules;
}

/** The objects within a schema whose fields are to be listed below it, and what their paths begin with. */
function inner(document: OpenApiDocument, schema: Schema): { schema: Schema; suffix: string }[] {
  return alternatives(document, schema).flatMap((one) => {
    const { items, additionalProperties: others } = one;
    const own = one.properties === undefined ? [] : [{ schema: one, suffix: "" }];
    const conditions = [
      ...(one.allOf ?? []),
      ...(one.type === undefined ? [] : (one.anyOf ?? one.oneOf ?? [])),
    ];
    const within = conditions.flatMap((part) => inner(document, part));
    const below = (part: Schema, suffix: string) =>
      inner(document, part).map((found) => ({ ...found, suffix: `${suffix}${found.suffix}` }));
    const elements = items === undefined ? [] : below(items, "[]");
    const entries = typeof others === "object" ? below(others, ".*") : [];
    return [...own, ...within, ...elements, ...entries];
  });
}

/** `voice_config` beside `voiceConfig` is the same field. */
function isTwin(name: string, properties: Readonly<Record<string, unknown>>): boolean {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel !== name && Object.hasOwn(properties, camel);
}

/** A field that has to be there under one of its names is told in an `allOf`. */
function isRequired({ required, allOf }: Schema, name: string): boolean {
  const isTold = (part: Schema) =>
    part.oneOf?.some((one) => one.properties === undefined && one.required?.includes(name));
  return (required?.includes(name) || allOf?.some(isTold)) ?? false;
}

/** What can never be sent. */
function isNever(field: Schema | boolean): boolean {
  return typeof field === "boolean" || (field.not !== undefined && Object.keys(field).length === 1);
}

/** Every field of a schema, those of objects within it below their object. */
export function schemaRows(document: OpenApiDocument, schema: Schema, path = "", depth = 0): SchemaRow[] {
  if (depth > MAX_DEPTH) return [];
  const seen = new Set<string>();
  return inner(document, schema).flatMap(({ schema: object, suffix }) =>
    Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
      if (isNever(field) || isTwin(name, object.properties ?? {})) return [];
      const base = `${path}${suffix}`;
      const own = base === "" ? name : `${base}.${name}`;
      // Alternatives of one union share most of their fields.
      if (seen.has(own)) return [];
      seen.add(own);
      const known = alternatives(document, field);
      const row: SchemaRow = {
        path: own,
        depth,
        type: typeOf(document, field),
        isRequired: isRequired(object, name),
        rules: unique([...known.flatMap(rulesOf), ...rulesOf({ default: field.default })]),
        description: field.description ?? known.find((one) => one.description)?.description ?? "",
      };
      return [row, ...schemaRows(document, field, own, depth + 1)];
    }),
  );
}
