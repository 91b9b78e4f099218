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

/** Validation errors reported for one body at most. */
const MAX_ISSUES = 20;

/**
 * Parses the body of a gateway call. Throws `invalid` with the validation errors in `issues`, the first of them in the
 * message and its outermost field in `param`.
 */
export function checkFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => ({
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
