import type { Resolver } from "react-hook-form";
import { type ApiKey, CreateKey, type Operation } from "@/lib/contracts/console/api-keys";
import {
  BUDGET_FIELDS,
  LIMIT_FIELD_OF,
  type LimitValues,
  limitsRequest,
  limitValues,
  NO_LIMITS,
  RATE_FIELDS,
  splitWords,
} from "../forms/limit-values";
import { requestResolver } from "../forms/request-resolver";
import type { FieldErrorTranslator } from "../forms/rule-text";

/** The fields of the API key form. */
export interface KeyValues extends LimitValues {
  name: string;
  operations: Operation[];
  /** A date in the user's time zone, `2027-01-31`; empty for no expiry. */
  expires: string;
  /** Model names separated by spaces; empty for all models. */
  models: string;
  /** IP addresses and ranges separated by spaces; empty for any address. */
  addresses: string;
}

/** The fields under "Limits". */
export const LIMIT_FIELDS = [...RATE_FIELDS, ...BUDGET_FIELDS, "models", "addresses"] as const;

export const KEY_FIELDS = [
  "name",
  "operations",
  "expires",
  ...LIMIT_FIELDS,
] as const satisfies readonly (keyof KeyValues)[];

export const NEW_KEY: KeyValues = {
  ...NO_LIMITS,
  name: "",
  operations: ["speech", "embeddings"],
  expires: "",
  models: "",
  addresses: "",
};

export function keyValues(key: ApiKey): KeyValues {
  return {
    ...limitValues(key),
    name: key.name,
    operations: key.operations,
    expires: localDate(key.expires_at),
    models: key.allowed_models.join(" "),
    addresses: key.allowed_addresses.join(" "),
  };
}

/** The date of an instant in the user's time zone. */
function localDate(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The names in the models field that no model has. */
export function unknownModels(text: string, known: readonly string[]): string[] {
  return splitWords(text).filter((name) => !known.includes(name));
}

/** Days until a new key expires, as offered by the form; null: never. */
export const EXPIRY_DAYS = [30, 90, 365, null] as const;

/** The date this many days from now in the user's time zone, as the form has it; empty for null. */
export function expiryDate(days: number | null, now: number): string {
  if (days === null) return "";
  const date = new Date(now);
  // Counts calendar days: a day of a clock change does not have 24 hours.
  date.setDate(date.getDate() + days);
  return localDate(date.toISOString());
}

/** The end of a day in the user's time zone. An invalid date is returned as it is, and the contract refuses it. */
function endOfDay(day: string): string {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

/** The request body. An expiry date that was not changed keeps its time of day. */
function toRequest(values: KeyValues, before: ApiKey | null): unknown {
  const isSameDate = before !== null && values.expires === localDate(before.expires_at);
  const expires = values.expires === "" ? null : endOfDay(values.expires);
  return {
    ...limitsRequest(values),
    name: values.name,
    operations: values.operations,
    expires_at: isSameDate ? before.expires_at : expires,
    allowed_models: splitWords(values.models),
    allowed_addresses: splitWords(values.addresses),
  };
}

const FIELD_OF: Readonly<Record<string, keyof KeyValues>> = {
  ...LIMIT_FIELD_OF,
  expires_at: "expires",
  allowed_models: "models",
  allowed_addresses: "addresses",
};

/** The form field of a request path: `allowed_models.2` → `models`. */
export function keyFieldOf(path: string): string {
  const [first = path] = path.split(".");
  return FIELD_OF[path] ?? FIELD_OF[first] ?? first;
}

/** Validates the form against the contract. `before`: the key that is edited, null for a new one. */
export function keyResolver(
  t: FieldErrorTranslator,
  before: ApiKey | null,
): Resolver<KeyValues, unknown, CreateKey> {
  return requestResolver<KeyValues, CreateKey>(
    CreateKey,
    { toRequest: (values) => toRequest(values, before), fields: KEY_FIELDS, fieldOf: keyFieldOf },
    t,
  );
}
