import type { FieldErrors, Resolver } from "react-hook-form";
import { CreateUser, type ManagedUser, UpdateUser } from "@/lib/contracts/console/user";
import { issueText } from "../forms/check-schema";
import type { FieldErrorTranslator } from "../forms/rule-text";

/** The form of a user as it is typed; an empty limit or amount means none. */
export interface UserValues {
  username: string;
  password: string;
  display_name: string;
  email: string;
  role: "admin" | "member";
  rpm: string;
  tpm: string;
  concurrency: string;
  daily: string;
  monthly: string;
  total: string;
}

export const USER_FIELDS = [
  "username",
  "password",
  "display_name",
  "email",
  "role",
  "rpm",
  "tpm",
  "concurrency",
  "daily",
  "monthly",
  "total",
] as const satisfies readonly (keyof UserValues)[];

export const CALL_FIELDS = ["rpm", "tpm", "concurrency"] as const;
export const MONEY_FIELDS = ["daily", "monthly", "total"] as const;

export const NEW_USER: UserValues = {
  username: "",
  password: "",
  display_name: "",
  email: "",
  role: "member",
  rpm: "",
  tpm: "",
  concurrency: "",
  daily: "",
  monthly: "",
  total: "",
};

const count = (value: number | null) => (value === null ? "" : String(value));
/** `12.500000000` → `12.50`. */
const dollars = (usd: string | null) => (usd === null ? "" : usd.replace(/(\.\d{2}\d*?)0+$/, "$1"));

export function valuesOf(user: ManagedUser): UserValues {
  return {
    username: user.username,
    password: "",
    display_name: user.display_name,
    email: user.email ?? "",
    // An owner is nobody's to edit.
    role: user.role === "admin" ? "admin" : "member",
    rpm: count(user.rpm),
    tpm: count(user.tpm),
    concurrency: count(user.concurrency),
    daily: dollars(user.budget.daily_usd),
    monthly: dollars(user.budget.monthly_usd),
    total: dollars(user.budget.total_usd),
  };
}

const textOrNull = (text: string) => (text.trim() === "" ? null : text.trim());

const numberOrNull = (text: string) => (text.trim() === "" ? null : Number(text));

/** What the form asks the server for. */
function requestOf(values: UserValues, before: ManagedUser | null): unknown {
  const shared = {
    email: textOrNull(values.email),
    role: values.role,
    rpm: numberOrNull(values.rpm),
    tpm: numberOrNull(values.tpm),
    concurrency: numberOrNull(values.concurrency),
    budget: {
      daily_usd: textOrNull(values.daily),
      monthly_usd: textOrNull(values.monthly),
      total_usd: textOrNull(values.total),
    },
  };
  if (before) return { ...shared, display_name: values.display_name, version: before.version };
  const display_name = textOrNull(values.display_name) ?? undefined;
  return { ...shared, display_name, username: values.username.trim(), password: values.password };
}

const FIELD_OF: Readonly<Record<string, keyof UserValues>> = {
  "budget.daily_usd": "daily",
  "budget.monthly_usd": "monthly",
  "budget.total_usd": "total",
};

/** The field a fault of the request belongs to. */
export const userFieldOf = (path: string): string => FIELD_OF[path] ?? path;

/** Reads the form by the contract; `before`: the user that is being edited. */
export function userResolver(
  t: FieldErrorTranslator,
  before: ManagedUser | null,
): Resolver<UserValues, unknown, CreateUser | UpdateUser> {
  return (values) => {
    const schema = before ? UpdateUser : CreateUser;
    const read = schema.safeParse(requestOf(values, before), { reportInput: true });
    if (read.success) return { values: read.data, errors: {} };
    const errors: FieldErrors<UserValues> = {};
    for (const issue of read.error.issues) {
      const field = USER_FIELDS.find((name) => name === userFieldOf(issue.path.join(".")));
      if (field) errors[field] ??= { type: issue.code, message: issueText(t, issue) };
    }
    return { values: {}, errors };
  };
}
