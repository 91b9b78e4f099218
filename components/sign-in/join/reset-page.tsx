"use client";

import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { AcceptPasswordReset } from "@/lib/contracts/console/invites";
import { CodeField } from "../../forms/code-field";
import { Form } from "../../forms/form";
import { NewPasswordFields } from "../../forms/new-password-fields";
import { useSchemaResolver } from "../../forms/schema-resolver";
import { emptyToUndefined } from "../../forms/text-field";
import { Button } from "../../ui/button";
import { JoinError, OneTimeLink, SignedInNotice } from "./link-states";
import { useJoin } from "./use-join";

/** Sets a new password from a reset link. `signedInAs`: the username of this browser's session. */
export function ResetPage({ signedInAs }: { signedInAs: string | null }) {
  const t = useTranslations("join.reset");
  return (
    <OneTimeLink kind="password_reset">
      {({ token, facts: { username, two_factor_enabled } }, markInvalid) => (
        <ResetForm
          token={token}
          username={username}
          requiresCode={two_factor_enabled}
          onInvalidLink={markInvalid}
        >
          <div className="mb-1 grid gap-1">
            <h1 className="text-2xl">{t("title")}</h1>
            <p className="text-ink-muted">{t("text", { name: username })}</p>
          </div>
          <SignedInNotice name={signedInAs === username ? null : signedInAs} />
        </ResetForm>
      )}
    </OneTimeLink>
  );
}

const loadSchema = () => import("@/lib/contracts/console/invites").then((one) => one.AcceptPasswordReset);
const FIELDS = ["password", "confirmPassword", "code"] as const;

interface ResetFormProps {
  token: string;
  username: string;
  requiresCode: boolean;
  onInvalidLink(): void;
  children: ReactNode;
}

/** The new password, and a 2FA code if 2FA is enabled. */
function ResetForm({ token, username, requiresCode, onInvalidLink, children }: ResetFormProps) {
  const t = useTranslations("join");
  const form = useForm<AcceptPasswordReset>({
    resolver: useSchemaResolver(loadSchema),
    mode: "onTouched",
    defaultValues: { token, password: "", confirmPassword: "" },
  });
  const { onSubmit, error, isBusy } = useJoin(form, {
    fields: FIELDS,
    send: (values) => callApi(api.acceptPasswordReset, { body: { ...values, token } }),
    onInvalidLink,
    showFieldError: (failure) => {
      if (!isApiError(failure, "invalid_code")) return false;
      form.setValue("code", "");
      form.setError("code", { message: t("reset.wrongCode") }, { shouldFocus: true });
      return true;
    },
  });

  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      {children}
      <JoinError error={error} />
      {/* Password managers save the new password under this username. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <NewPasswordFields
        form={form}
        password={{ name: "password", label: t("newPassword") }}
        confirm={{ name: "confirmPassword", label: t("confirm") }}
        personal={[username]}
        isRequired
      />
      {requiresCode ? (
        <CodeField
          form={form}
          name="code"
          options={{ setValueAs: emptyToUndefined }}
          label={t("reset.code")}
          isRequired
        />
      ) : null}
      <Button type="submit" size="lg" isBusy={isBusy}>
        {t("reset.action")}
      </Button>
    </Form>
  );
}
