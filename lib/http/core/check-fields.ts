import type { z } from "zod";
import { describeIssue, flattenUnion } from "../../contracts/describe-issue";
import { AppError } from "../../errors";

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
