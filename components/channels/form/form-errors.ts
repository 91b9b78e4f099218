import { type ChannelDraft, servedRows } from "@/components/channels/channel-draft";
import type { FieldIssue } from "@/lib/client/api-error";
import { type FieldErrorTranslator, ruleText } from "../../forms/rule-text";

/** Error texts by field; errors of a model row by the row's ID. */
export type FieldErrors = Readonly<Record<string, string>>;

const FIELDS = ["name", "base_url", "keys", "weight", "rpm", "concurrency", "timeouts", "headers", "options"];

/** The form field of an issue's path: `models.2.operation` → the ID of the third selected row. */
function fieldOf(path: string, draft: ChannelDraft): string | null {
  const [first = "", second = ""] = path.split(".");
  if (first === "models") return (second === "" ? null : servedRows(draft)[Number(second)]?.id) ?? "models";
  // Each option and each key's label has its own field.
  if (first === "options" && second !== "")
    return path.startsWith("options.voices") ? "options.voices" : path;
  if (first === "keys" && path.endsWith(".label")) return "labels";
  return FIELDS.includes(first) ? first : null;
}

/** The server's issues as error texts by field; null when one of them has no field in the form. */
export function fieldErrorsOf(
  issues: readonly FieldIssue[],
  draft: ChannelDraft,
  t: FieldErrorTranslator,
): FieldErrors | null {
  const errors: Record<string, string> = {};
  for (const issue of issues) {
    const field = fieldOf(issue.path, draft);
    if (field === null) return null;
    errors[field] ??= ruleText(t, issue.message);
  }
  return errors;
}
