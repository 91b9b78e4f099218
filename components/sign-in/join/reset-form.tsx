"use client";

import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { AcceptPasswordReset } from "@/lib/contracts/console/invites";
import type { User } from "@/lib/contracts/console/user";
import { Field } from "../../forms/field";
import { Form } from "../../forms/form";
import { PasswordInput } from "../../forms/password-input";
import { setFieldErrors } from "../../forms/set-field-errors";
import { useSchemaResolver } from "../../forms/schema-resolver";
import { StrengthMeter } from "../../forms/strength-meter";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";
import { JoinError } from "./join-error";

const loadSchema = () => import("@/lib/contracts/console/invites").then((one) => one.AcceptPasswordReset);
const FIELDS = ["password", "confirmPassword", "code"] as const;
/** An empty code is none. */
const orUndefined = (text?: string) => (text === "" ? undefined : text);

/** The new password, with the second factor's code where one is on. */
export function ResetForm({
  token,
  username,
  asksCode,
  onDead,
  children,
}: {
  token: string;
  username: string;
  asksCode: boolean;
  onDead(): void;
  children: ReactNode;
}) {
  const t = useTranslations("join");
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const [isLeaving, setLeaving] = useState(false);
  const form = useForm<AcceptPasswordReset>({
    resolver: useSchemaResolver(loadSchema),
    mode: "onTouched",
    defaultValues: { token, password: "", confirmPassword: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const password = form.watch("password");

  const save = form.handleSubmit(async (values) => {
    setError(null);
    try {
      await api.post<User>("/api/password-resets/accept", { ...values, token });
      setLeaving(true);
      // A whole load, and no way back to a link that is used up.
      window.location.replace("/");
    } catch (failure) {
      if (isApiError(failure, "not_found")) return onDead();
      if (isApiError(failure, "invalid_code")) {
        form.setValue("code", "");
        return form.setError("code", { message: t("reset.wrongCode") }, { shouldFocus: true });
      }
      if (!setFieldErrors(form, failure, FIELDS, fieldError)) setError(failure);
    }
  });

  return (
    <Form onSubmit={save} noValidate className="grid gap-5">
      {children}
      <JoinError error={error} />
      {/* Password managers keep the new password under this name. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <Field
        label={t("newPassword")}
        hint={<StrengthMeter password={password} personal={[username]} />}
        error={errors.password?.message}
        isRequired
      >
        {(control) => (
          <PasswordInput {...control} {...form.register("password")} autoComplete="new-password" />
        )}
      </Field>
      <Field label={t("again")} error={errors.confirmPassword?.message} isRequired>
        {(control) => (
          <PasswordInput {...control} {...form.register("confirmPassword")} autoComplete="new-password" />
        )}
      </Field>
      {asksCode ? (
        <Field label={t("reset.code")} error={errors.code?.message} isRequired>
          {(control) => (
            <Input
              {...control}
              {...form.register("code", { setValueAs: orUndefined })}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
      ) : null}
      <Button type="submit" size="lg" isBusy={isSubmitting || isLeaving}>
        {t("reset.action")}
      </Button>
    </Form>
  );
}
