import type { Resolver } from "react-hook-form";
import { CreateUser, type ManagedUser, UpdateUser } from "@/lib/contracts/console/user";
import {
  BUDGET_FIELDS,
  LIMIT_FIELD_OF,
  type LimitValues,
  limitsRequest,
  limitValues,
  NO_LIMITS,
  RATE_FIELDS,
  textOrNull,
} from "../forms/limit-values";
import { requestResolver } from "../forms/request-resolver";
import type { FieldErrorTranslator } from "../forms/rule-text";

/** The fields of the user form. */
export interface UserValues extends LimitValues {
  username: string;
  password: string;
  display_name: string;
  email: string;
  role: "admin" | "member";
}

export const USER_FIELDS = [
  "username",
  "password",
  "display_name",
  "email",
  "role",
  ...RATE_FIELDS,
  ...BUDGET_FIELDS,
] as const satisfies readonly (keyof UserValues)[];

export const NEW_USER: UserValues = {
  ...NO_LIMITS,
  username: "",
  password: "",
  display_name: "",
  email: "",
  role: "member",
};

export function userValues(user: ManagedUser): UserValues {
  return {
    ...limitValues(user),
    username: user.username,
    password: "",
    display_name: user.display_name,
    email: user.email ?? "",
    // The owner is never edited here.
    role: user.role === "admin" ? "admin" : "member",
  };
}

/** The request body of a new user (`before` null) or of an edit. */
function toRequest(values: UserValues, before: ManagedUser | null): unknown {
  const shared = { ...limitsRequest(values), email: textOrNull(values.email), role: values.role };
  if (before) return { ...shared, display_name: values.display_name, version: before.version };
  return {
    ...shared,
    display_name: textOrNull(values.display_name) ?? undefined,
    username: values.username.trim(),
    password: values.password,
  };
}

/** The form field of a request path. */
export const userFieldOf = (path: string): string => LIMIT_FIELD_OF[path] ?? path;

/** Validates the form against the contract. `before`: the user that is edited, null for a new one. */
export function userResolver(
  t: FieldErrorTranslator,
  before: ManagedUser | null,
): Resolver<UserValues, unknown, CreateUser | UpdateUser> {
  return requestResolver<UserValues, CreateUser | UpdateUser>(
    before ? UpdateUser : CreateUser,
    { toRequest: (values) => toRequest(values, before), fields: USER_FIELDS, fieldOf: userFieldOf },
    t,
  );
}
