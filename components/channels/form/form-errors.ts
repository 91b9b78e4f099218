import { type ChannelDraft, servedRows } from "@/components/channels/channel-draft";
import type { FieldIssue } from "@/lib/client/api-error";
import { type FieldErrorTranslator, ruleText } from "../../forms/rule-text";

/** What is wrong, by the field it belongs to; a row of the models by the row's id. */
export type Faults = Readonly<Record<string, string>>;

const FIELDS = ["name", "base_url", "keys", "weight", "rpm", "concurrency", "timeouts", "headers", "options"];

/** The field that a fault of the request belongs to: `models.2.operation` → the third served row's id. */
function fieldOf(path: string, draft: ChannelDraft): string | null {
  const [first = "", second = ""] = path.split(".");
  if (first === "models") return (second === "" ? null : servedRows(draft)[Number(second)]?.id) ?? "models";
  return FIELDS.includes(first) ? first : null;
}

/** Faults that the server found, each at its field; null when one of them has no field here. */
export function placeFaults(
  issues: readonly FieldIssue[],
  draft: ChannelDraft,
  t: FieldErrorTranslator,
): Faults | null {
  const faults: Record<string, string> = {};
  for (const issue of issues) {
    const field = fieldOf(issue.path, draft);
    if (field === null) return null;
    faults[field] ??= ruleText(t, issue.message);
  }
  return faults;
}
