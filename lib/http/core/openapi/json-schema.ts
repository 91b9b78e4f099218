import { z } from "zod";
import { isRecord } from "../../../contracts/is-record";
import { FORBIDDEN_KEYS, JSON_LIMITS } from "../read-json";

/** A JSON Schema (2020-12), or any other part of the document. */
export type Json = Record<string, unknown>;

export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const NO_NUL = "^[^\\u0000]*$";
/** A JSON object key that the body reader accepts. */
export const JSON_KEY: Json = { pattern: NO_NUL, not: { enum: [...FORBIDDEN_KEYS] } };

/** Any JSON that the body reader accepts (lib/http/core/read-json.ts): for fields that are passed on. */
export const JSON_VALUE: Json = {
  description: "Any JSON without NUL characters, integers beyond 2^53 - 1 and keys such as __proto__",
  anyOf: [
    { type: "null" },
    { type: "boolean" },
    { type: "number", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: "string", pattern: NO_NUL },
    { type: "array", maxItems: JSON_LIMITS.maxArrayItems, items: refTo("JsonValue") },
    { type: "object", propertyNames: refTo("JsonKey"), additionalProperties: refTo("JsonValue") },
  ],
};

function toJson(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" });
  return rest;
}

export function replySchema(schema: z.ZodType): Json {
  return toJson(schema, "output");
}

interface RequestRules {
  /** Most elements in an array (lib/http/core/read-json.ts). */
  maxArrayItems?: number | undefined;
  /** The current year: times that must be in the future (`isFuture` in the metadata) reject earlier years. */
  year?: number | undefined;
}

/** The JSON Schema of a request: the schema that parses it, plus the rules of the body reader. */
export function requestSchema(schema: z.ZodType, rules: RequestRules = {}): Json {
  return strict(toJson(schema, "input"), rules);
}

/** A pattern for four-digit years from `year` on. */
function yearsFrom(year: number): string {
  const digits = String(year).padStart(4, "0");
  const above = [...digits].flatMap((digit, position) => {
    const rest = 3 - position;
    const next = Number(digit) + 1;
    return next > 9 ? [] : [`${digits.slice(0, position)}[${next}-9]${rest > 0 ? `[0-9]{${rest}}` : ""}`];
  });
  return `^(?:${[digits, ...above].join("|")})-`;
}

/** Replaces `\d` and `\w`, which match more characters in other languages than in JavaScript. */
function portable(pattern: string): string {
  return pattern.replaceAll("\\d", "[0-9]").replaceAll("\\w", "[A-Za-z0-9_]");
}

function strictFields(fields: Json, rules: RequestRules): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isRecord(field) ? strict(field, rules) : field]),
  );
}

function strictString({ isFuture, ...schema }: Json, { year = 0 }: RequestRules): Json {
  if (isFuture) return { ...strictString(schema, {}), allOf: [{ pattern: yearsFrom(year) }] };
  if (typeof schema.pattern === "string") return { ...schema, pattern: portable(schema.pattern) };
  const isFree = schema.enum === undefined && schema.const === undefined && schema.allOf === undefined;
  return isFree ? { ...schema, pattern: NO_NUL } : schema;
}

function strictObject(schema: Json, rules: RequestRules): Json {
  const { properties, additionalProperties: others, ...rest } = schema;
  if (others === false) return { ...rest, ...withFields(properties, rules), additionalProperties: false };
  const isOpen = !isRecord(others) || Object.keys(others).length === 0;
  return {
    ...rest,
    ...withFields(properties, rules),
    propertyNames: isRecord(rest.propertyNames)
      ? { allOf: [portableNames(rest.propertyNames), refTo("JsonKey")] }
      : refTo("JsonKey"),
    additionalProperties: isOpen ? refTo("JsonValue") : strict(others, rules),
  };
}

function portableNames(names: Json): Json {
  const { type: _, ...rest } = strictString({ type: "string", ...names }, {});
  return rest;
}

function withFields(properties: unknown, rules: RequestRules): Json {
  return isRecord(properties) ? { properties: strictFields(properties, rules) } : {};
}

function strict(schema: Json, rules: RequestRules): Json {
  if (Object.keys(schema).every((key) => key === "description")) return { ...schema, ...refTo("JsonValue") };
  const joined: Json = { ...schema };
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const parts = schema[key];
    if (Array.isArray(parts))
      joined[key] = parts.map((part) => (isRecord(part) && !isCondition(part) ? strict(part, rules) : part));
  }
  switch (schema.type) {
    case "string":
      return strictString(joined, rules);
    case "object":
      return strictObject(joined, rules);
    case "array":
      return {
        ...joined,
        ...(isRecord(schema.items) ? { items: strict(schema.items, rules) } : {}),
        maxItems: schema.maxItems ?? rules.maxArrayItems ?? JSON_LIMITS.maxArrayItems,
      };
    case "integer": {
      // An integer in a query is parsed from text with a pattern, which does not apply to the integer that the document
      // describes.
      const { pattern: _, ...integer } = joined;
      return integer;
    }
    default:
      return joined;
  }
}

/** True for a part that only adds constraints to a value whose type is given next to it. */
function isCondition(schema: Json): boolean {
  return schema.type === undefined && schema.anyOf === undefined && schema.oneOf === undefined;
}
