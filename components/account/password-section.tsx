"use client";

import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApiCache } from "@/lib/client/use-api";
import type { Self } from "@/lib/contracts/console/user";
import { CodeField } from "../forms/code-field";
import { Form } from "../forms/form";
import { NewPasswordFields } from "../forms/new-password-fields";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { useSchemaResolver } from "../forms/schema-resolver";
import { FormField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { Button } from "../ui/button";
import { Section } from "../ui/section";
import { toast } from "../ui/toast";

const loadSchema = () => import("./password-schema").then((one) => one.ChangePasswordForm);
/** The lowest minimum length that can be configured; a higher one is shown as a hint. */
const LOWEST_MINIMUM = 8;
const EMPTY = { current_password: "", new_password: "", confirm: "", code: "" };

/** `minimum`: the minimum length of a new password. */
export function PasswordSection({ self, minimum }: { self: Self; minimum: number }) {
  const t = useTranslations("account.password");
  const fieldError = useTranslations("common.fieldError");
  const { reload } = useApiCache();
  const form = useForm({ resolver: useSchemaResolver(loadSchema), defaultValues: EMPTY });
  const { error, onSubmit } = useSaveForm(form, {
    fields: ["current_password", "new_password", "code"],
    save: async ({ current_password, new_password, confirm, code }) => {
      // Compared here as well: the server does not get the repeated password, and the schema that compares it may have
      // failed to load.
      if (confirm !== new_password) {
        form.setError("confirm", { message: fieldError("differ") }, { shouldFocus: true });
        return;
      }
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
        <FormField form={form} name="current_password" label={t("current")}>
          {(control) => <PasswordInput {...control} autoComplete="current-password" />}
        </FormField>
        <NewPasswordFields
          form={form}
          password={{ name: "new_password", label: t("next") }}
          confirm={{ name: "confirm", label: t("confirm") }}
          personal={[self.username, self.email ?? ""]}
          hint={minimum > LOWEST_MINIMUM ? <span>{t("minimum", { count: minimum })}</span> : null}
        />
        {self.two_factor_enabled ? (
          <CodeField form={form} name="code" label={t("code")} hint={t("codeHint")} />
        ) : null}
        <Button type="submit" className="w-fit" isBusy={form.formState.isSubmitting}>
          {t("change")}
        </Button>
      </Form>
    </Section>
  );
}
