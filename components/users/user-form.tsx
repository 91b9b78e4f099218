"use client";

import { useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import type { CreateUser, ManagedUser, Role, UpdateUser } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { PasswordInput } from "../forms/password-input";
import { setFieldErrors } from "../forms/set-field-errors";
import { StrengthMeter } from "../forms/strength-meter";
import { Button } from "../ui/button";
import { DialogFooter } from "../ui/dialog";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import { LimitFields } from "./limit-fields";
import { RoleField } from "./role-field";
import {
  CALL_FIELDS,
  MONEY_FIELDS,
  NEW_USER,
  USER_FIELDS,
  userFieldOf,
  userResolver,
  valuesOf,
} from "./user-values";

/** The form of a new user (`before` null) or of one that is changed. */
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
  /** Self-use: no money to fill in. */
  hidesBudgets: boolean;
  onSave(request: CreateUser | UpdateUser): Promise<void>;
  /** The user was changed elsewhere: gives the newest. */
  onStale?(): Promise<ManagedUser>;
  onCancel(): void;
}) {
  const t = useTranslations("users");
  const common = useTranslations("common");
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const [isStale, setStale] = useState(false);
  const form = useForm({
    resolver: useMemo(() => userResolver(fieldError, before), [fieldError, before]),
    defaultValues: before ? valuesOf(before) : NEW_USER,
  });
  const { errors, isSubmitting } = form.formState;
  const [username, email, password, role] = form.watch(["username", "email", "password", "role"]);

  const save = form.handleSubmit(async (request) => {
    setError(null);
    setStale(false);
    try {
      await onSave(request);
    } catch (failure) {
      // A taken name is a conflict too, and names its field.
      if (onStale && isApiError(failure, "conflict") && failure.issues.length === 0) {
        form.reset(valuesOf(await onStale()));
        setStale(true);
        return;
      }
      if (!setFieldErrors(form, failure, USER_FIELDS, fieldError, userFieldOf)) setError(failure);
    }
  });

  return (
    <Form onSubmit={(event) => void save(event).catch(setError)} noValidate className="grid gap-5">
      <CallError error={error} />
      {isStale ? (
        <Notice tone="warn" isLive>
          {t("form.stale")}
        </Notice>
      ) : null}
      {before ? null : (
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
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label={t("form.displayName")}
          error={errors.display_name?.message}
          isOptional={before === null}
          optionalText={common("optional")}
        >
          {(control) => <Input {...control} {...form.register("display_name")} autoComplete="off" />}
        </Field>
        <Field
          label={t("form.email")}
          error={errors.email?.message}
          isOptional
          optionalText={common("optional")}
        >
          {(control) => <Input {...control} {...form.register("email")} type="email" autoComplete="off" />}
        </Field>
      </div>
      <RoleField
        viewerRole={viewerRole}
        chosen={role}
        warning={before && role !== before.role ? t("form.roleEnds") : undefined}
        error={errors.role?.message}
        {...form.register("role")}
      />
      <LimitFields form={form} title={t("form.limits")} text={t("form.limitsText")} names={CALL_FIELDS} />
      {hidesBudgets ? null : (
        <LimitFields form={form} title={t("form.budget")} text={t("form.budgetText")} names={MONEY_FIELDS} />
      )}
      <DialogFooter>
        <Button variant="outline" onClick={onCancel}>
          {common("cancel")}
        </Button>
        <Button type="submit" isBusy={isSubmitting}>
          {before ? common("save") : t("create")}
        </Button>
      </DialogFooter>
    </Form>
  );
}
