import type { z } from "zod";
import { AppError, type Issue } from "../errors";

/** At most so many faults are told; a body with thousands is told its first. */
const MAX_ISSUES = 20;

/**
 * The body of a gateway call as its schema reads it. Throws AppError `invalid` with the first fault in words, its
 * field as `param` and every fault as issues. A schema's own messages follow the field's name ("must be …").
 */
export function parseFields<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body, { error: describe });
  if (parsed.success) return parsed.data;
  const issues: Issue[] = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issue.path.map(String).join("."),
    message: issue.message,
  }));
  const first = issues[0] ?? { path: "", message: "is not as it should be" };
  const message = first.path === "" ? `The body ${first.message}.` : `'${first.path}' ${first.message}.`;
  throw new AppError("invalid", message.replace(/\.\.$/, "."), {
    issues,
    param: first.path === "" ? undefined : first.path,
  });
}

/** Words for faults whose schema has none of its own; each follows the field's name. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${article(issue.expected)}, not ${typeName(issue.input)}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => `'${String(value)}'`).join(" or ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unit(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unit(issue.origin)}`;
    default:
      return undefined;
  }
}

function unit(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " items long" : "";
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isInteger(value)) return String(value);
  return article(typeof value);
}
