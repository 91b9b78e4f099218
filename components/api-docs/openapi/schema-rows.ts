import { type OpenApiDocument, resolve, type Schema } from "./document";

/** One field of a body: a row of the schema table. */
export interface SchemaRow {
  /** Dotted path; `[]` marks the items of a list: `contents[].parts[].text`. */
  path: string;
  depth: number;
  /** `string`, `number | null`, `[string]`, `"mp3" | "opus"`. */
  type: string;
  isRequired: boolean;
  /** Limits and default: `length ≤ 4096`. */
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

/** The alternatives of a schema (`anyOf`, `oneOf`), or the schema itself. */
function alternatives(document: OpenApiDocument, schema: Schema): Schema[] {
  const known = resolve(document, schema);
  const options = known.anyOf ?? known.oneOf;
  // In a schema that has a `type`, `anyOf` and `oneOf` are conditions, not alternatives.
  return options === undefined || known.type !== undefined
    ? [known]
    : options.flatMap((one) => alternatives(document, one));
}

/** The type as shown in the table: `string | null`. */
export function typeOf(document: OpenApiDocument, schema: Schema): string {
  const types = alternatives(document, schema).flatMap((one) => {
    if (one.const !== undefined) return [JSON.stringify(one.const)];
    if (one.enum !== undefined) return [choicesOf(one.enum)];
    const names = Array.isArray(one.type) ? one.type : [one.type ?? (one.properties ? "object" : "any")];
    return names.map((type) => {
      if (type === "array") return one.items ? `[${typeOf(document, one.items)}]` : "[any]";
      if (type === "string" && one.format === "date-time") return "date-time";
      return type;
    });
  });
  return unique(types).join(" | ");
}

function rulesOf(schema: Schema): string[] {
  const rules: string[] = [];
  // The safe-integer limits that zod adds to every integer are omitted.
  const isShown = (limit: number | undefined) =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  if (isShown(schema.minimum)) rules.push(`≥ ${schema.minimum}`);
  if (isShown(schema.maximum)) rules.push(`≤ ${schema.maximum}`);
  if (schema.minLength !== undefined && schema.minLength > 1) rules.push(`length ≥ ${schema.minLength}`);
  if (schema.maxLength !== undefined) rules.push(`length ≤ ${schema.maxLength}`);
  if (schema.minItems !== undefined) rules.push(`items ≥ ${schema.minItems}`);
  if (schema.maxItems !== undefined) rules.push(`items ≤ ${schema.maxItems}`);
  if (schema.default !== undefined) rules.push(`default ${JSON.stringify(schema.default)}`);
  return rules;
}

/** The objects inside a schema whose fields are listed below it, each with the suffix of its path (`[]`, `.*`). */
function nestedObjects(document: OpenApiDocument, schema: Schema): { schema: Schema; suffix: string }[] {
  return alternatives(document, schema).flatMap((one) => {
    const { items, additionalProperties: others } = one;
    const own = one.properties === undefined ? [] : [{ schema: one, suffix: "" }];
    const conditions = [
      ...(one.allOf ?? []),
      ...(one.type === undefined ? [] : (one.anyOf ?? one.oneOf ?? [])),
    ];
    const fromConditions = conditions.flatMap((part) => nestedObjects(document, part));
    const nested = (part: Schema, suffix: string) =>
      nestedObjects(document, part).map((found) => ({ ...found, suffix: `${suffix}${found.suffix}` }));
    const elements = items === undefined ? [] : nested(items, "[]");
    const entries = typeof others === "object" ? nested(others, ".*") : [];
    return [...own, ...fromConditions, ...elements, ...entries];
  });
}

/** Whether a snake_case field repeats a camelCase one: `voice_config` next to `voiceConfig`. */
function isSnakeCaseAlias(name: string, properties: Readonly<Record<string, unknown>>): boolean {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel !== name && Object.hasOwn(properties, camel);
}

/** Whether a field is required. One with several accepted names is required by a `oneOf` inside `allOf`. */
function isRequired({ required, allOf }: Schema, name: string): boolean {
  const requiresOneName = (part: Schema) =>
    part.oneOf?.some((one) => one.properties === undefined && one.required?.includes(name));
  return (required?.includes(name) || allOf?.some(requiresOneName)) ?? false;
}

/** Whether no value is valid for the field. */
function isNever(field: Schema | boolean): boolean {
  return typeof field === "boolean" || (field.not !== undefined && Object.keys(field).length === 1);
}

/** Every field of a schema, nested fields after their parent. */
export function schemaRows(document: OpenApiDocument, schema: Schema, path = "", depth = 0): SchemaRow[] {
  if (depth > MAX_DEPTH) return [];
  const seen = new Set<string>();
  return nestedObjects(document, schema).flatMap(({ schema: object, suffix }) =>
    Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
      if (isNever(field) || isSnakeCaseAlias(name, object.properties ?? {})) return [];
      const base = `${path}${suffix}`;
      const own = base === "" ? name : `${base}.${name}`;
      // The alternatives of a union share most of their fields: each is listed once.
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
