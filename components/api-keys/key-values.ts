import type { FieldErrors, Resolver } from "react-hook-form";
import { type ApiKey, CreateKey, type Operation } from "@/lib/contracts/console/api-keys";
import { issueText } from "../forms/check-schema";
import type { FieldErrorTranslator } from "../forms/rule-text";

/** The form of a key as it is typed; an empty text means no limit. */
export interface KeyValues {
  name: string;
  operations: Operation[];
  /** A day of the visitor's calendar, `2027-01-31`. */
  expires: string;
  rpm: string;
  tpm: string;
  concurrency: string;
  daily: string;
  monthly: string;
  total: string;
  models: string;
  addresses: string;
}

export const KEY_FIELDS = [
  "name",
  "operations",
  "expires",
  "rpm",
  "tpm",
  "concurrency",
  "daily",
  "monthly",
  "total",
  "models",
  "addresses",
] as const satisfies readonly (keyof KeyValues)[];

/** The fields behind "Limits". */
export const LIMIT_FIELDS = KEY_FIELDS.slice(3);

export const NEW_KEY: KeyValues = {
  name: "",
  operations: ["speech", "embeddings"],
  expires: "",
  rpm: "",
  tpm: "",
  concurrency: "",
  daily: "",
  monthly: "",
  total: "",
  models: "",
  addresses: "",
};

const count = (value: number | null) => (value === null ? "" : String(value));
/** `12.500000000` → `12.50`. */
const dollars = (usd: string | null) => (usd === null ? "" : usd.replace(/(\.\d{2}\d*?)0+$/, "$1"));

export function valuesOf(key: ApiKey): KeyValues {
  return {
    name: key.name,
    operations: key.operations,
    expires: dayOf(key.expires_at),
    rpm: count(key.rpm),
    tpm: count(key.tpm),
    concurrency: count(key.concurrency),
    daily: dollars(key.budget.daily_usd),
    monthly: dollars(key.budget.monthly_usd),
    total: dollars(key.budget.total_usd),
    models: key.allowed_models.join(" "),
    addresses: key.allowed_addresses.join(" "),
  };
}

/** The day on which an instant falls here. */
function dayOf(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const numberOrNull = (text: string) => (text.trim() === "" ? null : Number(text));
const textOrNull = (text: string) => (text.trim() === "" ? null : text.trim());
const words = (text: string) => text.split(/[\s,;，；]+/u).filter(Boolean);

/**
 * The models named in the field that are not there (yet). `isTyping`: the last word may still become one of those that
 * are.
 */
export function unknownModels(text: string, known: readonly string[], isTyping: boolean): string[] {
  const named = words(text);
  const unfinished = isTyping ? (/[^\s,;，；]+$/u.exec(text)?.[0] ?? null) : null;
  return named.filter(
    (name, index) =>
      !known.includes(name) &&
      !(index === named.length - 1 && unfinished !== null && known.some((one) => one.startsWith(name))),
  );
}

/** What the form asks the server for. A day that was not touched keeps its instant. */
function requestOf(values: KeyValues, before: ApiKey | null): unknown {
  const isSameDay = before !== null && values.expires === dayOf(before.expires_at);
  const end = values.expires === "" ? null : new Date(`${values.expires}T23:59:59`);
  return {
    name: values.name,
    operations: values.operations,
    expires_at: isSameDay ? before.expires_at : (end?.toISOString() ?? null),
    rpm: numberOrNull(values.rpm),
    tpm: numberOrNull(values.tpm),
    concurrency: numberOrNull(values.concurrency),
    budget: {
      daily_usd: textOrNull(values.daily),
      monthly_usd: textOrNull(values.monthly),
      total_usd: textOrNull(values.total),
    },
    allowed_models: words(values.models),
    allowed_addresses: words(values.addresses),
  };
}

const FIELD_OF: Readonly<Record<string, keyof KeyValues>> = {
  expires_at: "expires",
  "budget.daily_usd": "daily",
  "budget.monthly_usd": "monthly",
  "budget.total_usd": "total",
  allowed_models: "models",
  allowed_addresses: "addresses",
};

/** The field a fault of the request belongs to: `allowed_models.2` → `models`. */
export function fieldOf(path: string): string {
  return FIELD_OF[path] ?? FIELD_OF[path.split(".")[0] ?? ""] ?? path.split(".")[0] ?? path;
}

/** Reads the form by the contract; `before`: the key that is being edited. */
export function keyResolver(
  t: FieldErrorTranslator,
  before: ApiKey | null,
): Resolver<KeyValues, unknown, CreateKey> {
  return (values) => {
    const read = CreateKey.safeParse(requestOf(values, before), { reportInput: true });
    if (read.success) return { values: read.data, errors: {} };
    const errors: FieldErrors<KeyValues> = {};
    for (const issue of read.error.issues) {
      const field = KEY_FIELDS.find((name) => name === fieldOf(issue.path.join(".")));
      if (field) errors[field] ??= { type: issue.code, message: issueText(t, issue) };
    }
    return { values: {}, errors };
  };
}
