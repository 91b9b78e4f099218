"use client";

import { useMemo } from "react";
import { type Resolver, type UseFormReturn, useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { CreateUser, type ManagedUser, type Role, UpdateUser } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
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
import { useSaveForm } from "../forms/use-save-form";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
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

  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      <CallError error={error} />
      {isStale ? (
        <Notice tone="warn" isLive>
          {t("form.stale")}
        </Notice>
      ) : null}
      {before ? null : <SignInFields form={form} />}
      <NameFields before={before} form={form} />
      <RoleField
        viewerRole={viewerRole}
        chosen={role}
        warning={before && role !== before.role ? t("form.roleEnds") : undefined}
        error={errors.role?.message}
        {...form.register("role")}
      />
      <LimitFields form={form} title={t("form.limits")} text={t("form.limitsText")} names={RATE_FIELDS} />
      {hidesBudgets ? null : (
        <LimitFields form={form} title={t("form.budget")} text={t("form.budgetText")} names={BUDGET_FIELDS} />
      )}
      <FormFooter action={before ? common("save") : t("create")} isBusy={isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

/** Display name and e-mail address. */
function NameFields({ before, form }: { before: ManagedUser | null; form: UserFormState }) {
  const t = useTranslations("users");
  const { errors } = form.formState;
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field label={t("form.displayName")} error={errors.display_name?.message} isOptional={before === null}>
        {(control) => <Input {...control} {...form.register("display_name")} autoComplete="off" />}
      </Field>
      <Field label={t("form.email")} error={errors.email?.message} isOptional>
        {(control) => <Input {...control} {...form.register("email")} type="email" autoComplete="off" />}
      </Field>
    </div>
  );
}

/** Username and first password of a new user. */
function SignInFields({ form }: { form: UserFormState }) {
  const t = useTranslations("users");
  const { errors } = form.formState;
  const [username, email, password] = form.watch(["username", "email", "password"]);
  return (
    <>
      <Field
        label={t("form.username")}
        hint={t("form.usernameHint")}
        error={errors.username?.message}
        isRequired
      >
        {(control) => (
          <Input
            {...control}
            {...form.register("username")}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Field
        label={t("form.password")}
        hint={<StrengthMeter password={password} personal={[username, email]} />}
        error={errors.password?.message}
        isRequired
      >
        {(control) => (
          <PasswordInput {...control} {...form.register("password")} autoComplete="new-password" />
        )}
      </Field>
    </>
  );
}

/** A group of limits that apply to all of a user's keys together. */
function LimitFields({
  form,
  title,
  text,
  names,
}: {
  form: UseFormReturn<UserValues, unknown, CreateUser | UpdateUser>;
  title: string;
  text: string;
  names: readonly (keyof LimitValues)[];
}) {
  const t = useTranslations("users.form");
  const { errors } = form.formState;
  const isBudget = (name: keyof LimitValues) => BUDGET_FIELDS.some((one) => one === name);
  return (
    <fieldset className="grid gap-3 rounded-md border p-4">
      <legend className="sr-only">{title}</legend>
      <p aria-hidden="true" className="grid">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-ink-muted">{text}</span>
      </p>
      <div className="grid gap-4 sm:grid-cols-3 sm:items-end">
        {names.map((name) => (
          <Field key={name} label={t(name)} error={errors[name]?.message}>
            {(control) => (
              <Input
                {...control}
                {...form.register(name)}
                inputMode={isBudget(name) ? "decimal" : "numeric"}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}

/** The fields of the user form. */
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
