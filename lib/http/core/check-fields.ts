import type { z } from "zod";
import { AppError } from "../../errors";
import { describeIssue } from "./describe-issue";

/** At most so many faults are told; a body with thousands is told its first. */
const MAX_ISSUES = 20;

/**
 * The body of a gateway call as `schema` reads it. Throws `invalid` with every fault in `issues`, the first in the
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
  throw new AppError("invalid", first.path === "" ? `The body ${first.message}.` : sentence(first), {
    issues,
    ...(param ? { param } : {}),
  });
}

/** `'voice' must be …`; words that are no continuation of a field's name follow a colon. */
function sentence({ path, message }: { path: string; message: string }): string {
  const continues = /^(must|has|holds|is|may|names|cannot|needs)\b/.test(message);
  return `'${path}'${continues ? "" : ":"} ${message.replace(/\.$/, "")}.`;
}
