import { z } from "zod";
import { isRecord } from "../../../contracts/is-record";
import { AppError } from "../../../errors";

/**
 * Names of enums by their numbers, which some of Google's REST clients send:
 * https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta/generative_service.proto.
 */
const ENUMS: Readonly<Record<string, readonly string[]>> = {
  taskType: [
    "TASK_TYPE_UNSPECIFIED",
    "RETRIEVAL_QUERY",
    "RETRIEVAL_DOCUMENT",
    "SEMANTIC_SIMILARITY",
    "CLASSIFICATION",
    "CLUSTERING",
    "QUESTION_ANSWERING",
    "FACT_VERIFICATION",
    "CODE_RETRIEVAL_QUERY",
  ],
  responseModalities: ["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO"],
};

/** The value with its numbers replaced by names of the enum. */
function namedEnum(names: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => namedEnum(names, one));
  return typeof value === "number" ? (names[value] ?? value) : value;
}

/**
 * Renames the snake_case aliases of the schema's fields (`generation_config` → `generationConfig`) at every depth the
 * schema knows, as Google's JSON does, and names enums sent as numbers. Other fields stay as they are. Throws `invalid`
 * when both forms of a field are present.
 */
export function camelFields(schema: z.ZodType, value: unknown, path = ""): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    // An array's element is always a zod type; the library's typing is wider.
    const element = inner.element as z.ZodType;
    return value.map((item, i) => camelFields(element, item, `${path}${i}.`));
  }
  if (inner instanceof z.ZodUnion) {
    // The members of our unions are a shape and a list of it; the value's kind selects one.
    const options = inner.options as z.ZodType[];
    const fitting = options.find((option) => option instanceof z.ZodArray === Array.isArray(value));
    return fitting ? camelFields(fitting, value, path) : value;
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value;
  const renamed: Record<string, unknown> = { ...value };
  for (const { name, alias, field } of fieldsOf(inner)) {
    if (alias !== name && Object.hasOwn(renamed, alias)) {
      if (Object.hasOwn(renamed, name)) throw duplicateField(path, name, alias);
      renamed[name] = renamed[alias];
      delete renamed[alias];
    }
    if (Object.hasOwn(renamed, name)) {
      const names = ENUMS[name];
      renamed[name] =
        names === undefined
          ? camelFields(field, renamed[name], `${path}${name}.`)
          : namedEnum(names, renamed[name]);
    }
  }
  return renamed;
}

interface Field {
  name: string;
  /** The snake_case form. */
  alias: string;
  field: z.ZodType;
}

/** The fields of each schema, which are the same in every request. */
const FIELDS = new WeakMap<z.ZodObject, Field[]>();

function fieldsOf(schema: z.ZodObject): Field[] {
  const known = FIELDS.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    alias: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    // A shape's field is always a zod type; the library's typing is wider.
    field: field as z.ZodType,
  }));
  FIELDS.set(schema, fields);
  return fields;
}

function unwrap(schema: z.ZodType): z.ZodType {
  // An optional's inner type is a zod type; the library's typing is wider.
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function duplicateField(path: string, name: string, alias: string): AppError {
  return new AppError(
    "invalid",
    `'${path}${name}' was sent twice, as ${name} and as ${alias}; send one of them`,
    {
      issues: [{ path: `${path}${alias}`, message: `is the same field as ${name}` }],
    },
  );
}
