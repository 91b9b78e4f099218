import type { z } from "zod";
import { AppError } from "../../errors";

/** The message of a validation error for which the schema has none of its own; it follows the field's name. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${withArticle(issue.expected)}, not ${typeName(issue.input)}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => `'${String(value)}'`).join(" or ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${lengthUnit(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${lengthUnit(issue.origin)}`;
    case "invalid_union": {
      const expected = issue.errors.flatMap(([first]) =>
        first?.code === "invalid_type" ? first.expected : [],
      );
      return expected.length === 0
        ? undefined
        : `must be ${[...new Set(expected)].map(withArticle).join(" or ")}, not ${typeName(issue.input)}`;
    }
    default:
      return undefined;
  }
}

function lengthUnit(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " items long" : "";
}

function withArticle(type: string): string {
  if (type === "int") return "a whole number";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "number" ? String(value) : withArticle(typeof value);
}

/**
 * The errors of a value that fits no member of a union: those inside the one member of the value's kind, since the others
 * only say that they are of another kind. An error in all of them is the union's own.
 */
function flattenUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [inside, ...others] = issue.errors.filter((errors) => errors.every(({ path }) => path.length > 0));
  if (inside === undefined || others.length > 0) return [issue];
  return inside.flatMap((one) => flattenUnion({ ...one, path: [...issue.path, ...one.path] }));
}

/** Validation errors reported for one body at most. */
const MAX_ISSUES = 20;

/**
 * Parses the body of a gateway call. Throws `invalid` with the validation errors in `issues`, the first of them in the
 * message and its outermost field in `param`.
 */
export function checkFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .flatMap(flattenUnion)
    .slice(0, MAX_ISSUES)
    .map((issue) => ({
      path: issue.path.map(String).join("."),
      message: issue.message,
    }));
  const [first = { path: "", message: "is not valid" }] = issues;
  const param = first.path.split(".")[0];
  throw new AppError("invalid", first.path === "" ? `The body ${first.message}.` : messageOf(first), {
    issues,
    ...(param ? { param } : {}),
  });
}

/** `'voice' must be …`; a message that does not continue the field name follows a colon. */
function messageOf({ path, message }: { path: string; message: string }): string {
  const continues = /^(must|has|holds|is|may|names|cannot|needs)\b/.test(message);
  return `'${path}'${continues ? "" : ":"} ${message.replace(/\.$/, "")}.`;
}
