"use client";

import { useMemo } from "react";
import { type Resolver, type UseFormReturn, useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { CreateUser, type ManagedUser, type Role, UpdateUser } from "@/lib/contracts/console/user";
import { SaveErrors } from "../forms/call-error";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
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
import { StrengthMeter } from "../forms/new-password-fields";
import { PasswordInput } from "../forms/password-input";
import { requestResolver } from "../forms/request-resolver";
import type { FieldErrorTranslator } from "../forms/rule-text";
import { AS_TYPED, FormField, FormTextField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { RoleField } from "./role-field";

type UserFormState = UseFormReturn<UserValues, unknown, CreateUser | UpdateUser>;

/** The form that creates a user (`before` null) or edits one. */
export function UserForm({
  before,
  viewerRole,
  hidesBudgets,
  onSave,
  onStale,
  onCancel,
}: {
  before: ManagedUser | null;
  viewerRole: Role;
  /** Self-use mode: no budgets. */
  hidesBudgets: boolean;
  onSave(request: CreateUser | UpdateUser): Promise<void>;
  /** Loads the newest version after a version conflict. */
  onStale?(): Promise<ManagedUser>;
  onCancel(): void;
}) {
  const t = useTranslations("users");
  const common = useTranslations("common");
  const fieldError = useTranslations("common.fieldError");
  const form = useForm({
    resolver: useMemo(() => userResolver(fieldError, before), [fieldError, before]),
    defaultValues: before ? userValues(before) : NEW_USER,
  });
  const { error, isStale, onSubmit } = useSaveForm(form, {
    fields: USER_FIELDS,
    fieldOf: userFieldOf,
    save: onSave,
    reload: onStale && (async () => userValues(await onStale())),
  });
  const { errors, isSubmitting } = form.formState;
  const role = form.watch("role");
  // A budget that refuses calls is never hidden.
  const hasBudget = before !== null && Object.values(before.budget).some(Boolean);

  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      <SaveErrors error={error} isStale={isStale} stale={t("form.stale")} />
      {before ? null : <SignInFields form={form} />}
      <div className="grid gap-5 sm:grid-cols-2">
        <FormTextField
          form={form}
          name="display_name"
          label={t("form.displayName")}
          isOptional={before === null}
          autoComplete="off"
        />
        <FormTextField
          form={form}
          name="email"
          label={t("form.email")}
          isOptional
          type="email"
          autoComplete="off"
        />
      </div>
      <RoleField
        viewerRole={viewerRole}
        chosen={role}
        warning={before && role !== before.role ? t("form.roleEnds") : undefined}
        error={errors.role?.message}
        {...form.register("role")}
      />
      <LimitFields form={form} kind="limits" />
      {hidesBudgets && !hasBudget ? null : <LimitFields form={form} kind="budget" />}
      <FormFooter action={before ? common("save") : t("create")} isBusy={isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

/** Username and first password of a new user. */
function SignInFields({ form }: { form: UserFormState }) {
  const t = useTranslations("users.form");
  const [username, email, password] = form.watch(["username", "email", "password"]);
  return (
    <>
      <FormTextField
        form={form}
        name="username"
        label={t("username")}
        hint={t("usernameHint")}
        isRequired
        autoComplete="off"
        {...AS_TYPED}
      />
      <FormField
        form={form}
        name="password"
        label={t("password")}
        hint={<StrengthMeter password={password} personal={[username, email]} />}
        isRequired
      >
        {(control) => <PasswordInput {...control} autoComplete="new-password" />}
      </FormField>
    </>
  );
}

/** The rate limits or the budgets of all of a user's keys together. */
function LimitFields({ form, kind }: { form: UserFormState; kind: "limits" | "budget" }) {
  const t = useTranslations("users.form");
  const limit = useTranslations("common.limit");
  return (
    <fieldset className="grid gap-3 rounded-md border p-4">
      <legend className="sr-only">{t(kind)}</legend>
      <p aria-hidden="true" className="grid">
        <span className="font-medium">{t(kind)}</span>
        <span className="text-sm text-ink-muted">{t("limitsText")}</span>
      </p>
      <div className="grid gap-4 sm:grid-cols-3 sm:items-end">
        {(kind === "budget" ? BUDGET_FIELDS : RATE_FIELDS).map((name) => (
          <FormTextField
            key={name}
            form={form}
            name={name}
            label={limit(name)}
            inputMode={kind === "budget" ? "decimal" : "numeric"}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface UserValues extends LimitValues {
  username: string;
  password: string;
  display_name: string;
  email: string;
  role: "admin" | "member";
}

const USER_FIELDS = [
  "username",
  "password",
  "display_name",
  "email",
  "role",
  ...RATE_FIELDS,
  ...BUDGET_FIELDS,
] as const satisfies readonly (keyof UserValues)[];

const NEW_USER: UserValues = {
  ...NO_LIMITS,
  username: "",
  password: "",
  display_name: "",
  email: "",
  role: "member",
};

function userValues(user: ManagedUser): UserValues {
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
const userFieldOf = (path: string): string => LIMIT_FIELD_OF[path] ?? path;

/** Validates the form against the contract. `before`: the user that is edited, null for a new one. */
function userResolver(
  t: FieldErrorTranslator,
  before: ManagedUser | null,
): Resolver<UserValues, unknown, CreateUser | UpdateUser> {
  return requestResolver<UserValues, CreateUser | UpdateUser>(
    before ? UpdateUser : CreateUser,
    { toRequest: (values) => toRequest(values, before), fields: USER_FIELDS, fieldOf: userFieldOf },
    t,
  );
}
