"use client";

import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApiCache } from "@/lib/client/use-api";
import type { Self } from "@/lib/contracts/console/user";
import { CodeField } from "../forms/code-field";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { NewPasswordFields } from "../forms/new-password-fields";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { useSchemaResolver } from "../forms/schema-resolver";
import { useSaveForm } from "../forms/use-save-form";
import { Button } from "../ui/button";
import { Section } from "../ui/section";
import { toast } from "../ui/toast";

const loadSchema = () => import("./password-schema").then((one) => one.ChangePasswordForm);
/** The lowest minimum length that can be configured; a higher one is shown as a hint. */
const LOWEST_MINIMUM = 8;
const EMPTY = { current_password: "", new_password: "", confirm: "", code: "" };

const usePasswordForm = () => useForm({ resolver: useSchemaResolver(loadSchema), defaultValues: EMPTY });
type PasswordForm = ReturnType<typeof usePasswordForm>;

/** `minimum`: the minimum length of a new password. */
export function PasswordSection({ self, minimum }: { self: Self; minimum: number }) {
  const t = useTranslations("account.password");
  const { reload } = useApiCache();
  const form = usePasswordForm();
  const { errors, isSubmitting } = form.formState;
  const newPassword = form.watch("new_password");

  const { error, onSubmit } = useSaveForm(form, {
    fields: ["current_password", "new_password", "code"],
    save: async ({ current_password, new_password, code }) => {
      await callApi(api.changePassword, {
        body: { current_password, new_password, code: self.two_factor_enabled ? code : undefined },
      });
      form.reset(EMPTY);
      void reload(api.readSelf, api.listSessions);
      toast.success(t("changed"));
    },
    onFailure: (failure) => {
      if (!isApiError(failure, "invalid_credentials") || self.two_factor_enabled) return false;
      form.setError("current_password", { message: t("wrong") }, { shouldFocus: true });
      return true;
    },
  });

  return (
    <Section title={t("title")} text={t("text")}>
      <Form onSubmit={onSubmit} noValidate className="grid max-w-form gap-5">
        <ProofError error={error} wrong={t("wrongPasswordOrCode")} />
        {/* Password managers save the new password under this username. */}
        <input type="text" hidden readOnly autoComplete="username" value={self.username} />
        <CurrentPassword form={form} />
        <NewPasswordFields
          password={{
            label: t("next"),
            error: errors.new_password,
            control: () => form.register("new_password"),
          }}
          confirm={{ label: t("confirm"), error: errors.confirm, control: () => form.register("confirm") }}
          entered={newPassword}
          personal={[self.username, self.email ?? ""]}
          hint={minimum > LOWEST_MINIMUM ? <span>{t("minimum", { count: minimum })}</span> : null}
        />
        {self.two_factor_enabled ? (
          <CodeField
            label={t("code")}
            hint={t("codeHint")}
            error={errors.code?.message}
            control={form.register("code")}
          />
        ) : null}
        <Button type="submit" className="w-fit" isBusy={isSubmitting}>
          {t("change")}
        </Button>
      </Form>
    </Section>
  );
}

/** The current password. */
function CurrentPassword({ form }: { form: PasswordForm }) {
  const t = useTranslations("account.password");
  const { errors } = form.formState;
  return (
    <Field label={t("current")} error={errors.current_password?.message}>
      {(control) => (
        <PasswordInput {...control} {...form.register("current_password")} autoComplete="current-password" />
      )}
    </Field>
  );
}
