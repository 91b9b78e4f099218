"use client";

import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { AcceptPasswordReset } from "@/lib/contracts/console/invites";
import { CodeField } from "../../forms/code-field";
import { Form } from "../../forms/form";
import { NewPasswordFields } from "../../forms/new-password-fields";
import { useSchemaResolver } from "../../forms/schema-resolver";
import { setFieldErrors } from "../../forms/set-field-errors";
import { Button } from "../../ui/button";
import { JoinError } from "./link-states";

const loadSchema = () => import("@/lib/contracts/console/invites").then((one) => one.AcceptPasswordReset);
const FIELDS = ["password", "confirmPassword", "code"] as const;
/** An empty field means no code. */
const emptyToUndefined = (text?: string) => (text === "" ? undefined : text);

/** The new password, and a 2FA code if 2FA is enabled. */
export function ResetForm({
  token,
  username,
  requiresCode,
  onInvalidLink,
  children,
}: {
  token: string;
  username: string;
  requiresCode: boolean;
  onInvalidLink(): void;
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
      await callApi(api.acceptPasswordReset, { body: { ...values, token } });
      setLeaving(true);
      // Not a client navigation: the page must belong to the new session, and Back must not return to a used link.
      window.location.replace("/");
    } catch (failure) {
      if (isApiError(failure, "not_found")) return onInvalidLink();
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
      {/* Password managers save the new password under this username. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <NewPasswordFields
        password={{ label: t("newPassword"), error: errors.password, control: form.register("password") }}
        confirm={{
          label: t("confirm"),
          error: errors.confirmPassword,
          control: form.register("confirmPassword"),
        }}
        entered={password}
        personal={[username]}
        isRequired
      />
      {requiresCode ? (
        <CodeField
          label={t("reset.code")}
          error={errors.code?.message}
          control={form.register("code", { setValueAs: emptyToUndefined })}
          isRequired
        />
      ) : null}
      <Button type="submit" size="lg" isBusy={isSubmitting || isLeaving}>
        {t("reset.action")}
      </Button>
    </Form>
  );
}
