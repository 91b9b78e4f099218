"use client";

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
import { useSaveForm } from "../forms/use-save-form";

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
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { password: "", code: "" },
  });
  const { errors, isSubmitting } = form.formState;

  const { error, onSubmit } = useSaveForm(form, {
    fields: ["password", "code"],
    save: onProof,
    onFailure: () => {
      form.setValue("code", "");
      return false;
    },
  });

  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
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
