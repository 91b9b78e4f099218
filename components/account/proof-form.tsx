"use client";

import { useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { TwoFactorProof } from "@/lib/contracts/console/two-factor";
import { CodeField } from "../forms/code-field";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { useSchemaResolver } from "../forms/schema-resolver";
import { setFieldErrors } from "../forms/set-field-errors";

const loadSchema = () => import("@/lib/contracts/console/two-factor").then((one) => one.TwoFactorProof);

/** Asks for the password and a 2FA code before a security-sensitive change. */
export function ProofForm({
  action,
  isDanger = false,
  onProof,
  onCancel,
}: {
  action: string;
  isDanger?: boolean;
  onProof(proof: TwoFactorProof): Promise<void>;
  onCancel(): void;
}) {
  const t = useTranslations("account.twoFactor");
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { password: "", code: "" },
  });
  const { errors, isSubmitting } = form.formState;

  const submit = form.handleSubmit(async (proof) => {
    setError(null);
    try {
      await onProof(proof);
    } catch (failure) {
      form.setValue("code", "");
      if (!setFieldErrors(form, failure, ["password", "code"], fieldError)) setError(failure);
    }
  });

  return (
    <Form onSubmit={submit} noValidate className="grid gap-5">
      <ProofError error={error} wrong={t("wrong")} />
      <Field label={t("password")} error={errors.password?.message}>
        {(control) => (
          <PasswordInput {...control} {...form.register("password")} autoComplete="current-password" />
        )}
      </Field>
      <CodeField label={t("code")} error={errors.code?.message} control={form.register("code")} />
      <FormFooter action={action} isBusy={isSubmitting} isDanger={isDanger} onCancel={onCancel} />
    </Form>
  );
}
