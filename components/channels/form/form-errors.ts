import { type ChannelDraft, servedRows } from "@/components/channels/channel-draft";
import type { NamedText } from "@/components/channels/channel-options";
import type { FieldIssue } from "@/lib/client/api-error";
import { numberOrNull } from "../../forms/limit-values";
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

/** Errors of limits that are not finite numbers: JSON would send them as null, which means no limit. */
export function limitErrors(draft: ChannelDraft, t: FieldErrorTranslator): FieldErrors {
  const invalid = (["rpm", "concurrency"] as const).filter((name) => {
    const limit = numberOrNull(draft[name]);
    return limit !== null && !Number.isFinite(limit);
  });
  return Object.fromEntries(invalid.map((name) => [name, t("wholeNumber")]));
}

/**
 * The error of rows that saving would lose: one half of the pair is missing, or a name is repeated (ignoring case).
 * Null without one. Empty rows are dropped without an error.
 */
function pairError(pairs: readonly NamedText[], t: FieldErrorTranslator): string | null {
  const names = new Set<string>();
  for (const pair of pairs) {
    const [name, value] = [pair.name.trim(), pair.value.trim()];
    if (name === "" && value === "") continue;
    if (name === "" || value === "") return t("pair");
    if (names.has(name.toLowerCase())) return t("headerTwice", { name });
    names.add(name.toLowerCase());
  }
  return null;
}

/**
 * Errors of headers and voices that the request could not carry or the gateway would not use. None for a built-in
 * engine: its form neither shows nor saves them.
 */
export function pairErrors({ preset, headers, voices }: ChannelDraft, t: FieldErrorTranslator): FieldErrors {
  if (preset === "embedded") return {};
  const found = [
    ["headers", pairError(headers, t)],
    ["options.voices", pairError(voices, t)],
  ];
  return Object.fromEntries(found.filter(([, message]) => message !== null));
}
