"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { PasswordInput } from "../forms/password-input";
import { Button } from "../ui/button";

/** Asks for the password again, because the sign-in is not recent. */
export function PasswordStep({
  isWrong,
  onPassword,
}: {
  isWrong: boolean;
  onPassword(password: string): Promise<void>;
}) {
  const t = useTranslations("twoFactor");
  const common = useTranslations("common");
  const [password, setPassword] = useState("");
  const [isBusy, setBusy] = useState(false);
  return (
    <Form
      className="grid max-w-form gap-4"
      onSubmit={async (event) => {
        event.preventDefault();
        setBusy(true);
        await onPassword(password);
        setBusy(false);
      }}
    >
      <div className="grid gap-1">
        <h3 className="text-base">{t("passwordTitle")}</h3>
        <p className="text-ink-muted">{t("passwordText")}</p>
      </div>
      <Field label={t("password")} error={isWrong ? t("wrongPassword") : undefined}>
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" className="w-fit" isBusy={isBusy} disabled={password === ""}>
        {common("next")}
      </Button>
    </Form>
  );
}
