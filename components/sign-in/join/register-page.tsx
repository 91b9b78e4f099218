"use client";

import { useTranslations } from "use-intl";
import { Button } from "../../ui/button";
import { NewAccountForm } from "./new-account-form";

/** Self-registration. */
export function RegisterPage() {
  const t = useTranslations("join.register");
  return (
    <div className="grid gap-5">
      <NewAccountForm path="/api/user/register" action={t("action")}>
        <div className="mb-1 grid gap-1">
          <h1 className="text-2xl">{t("title")}</h1>
          <p className="text-ink-muted">{t("text")}</p>
        </div>
      </NewAccountForm>
      <Button asChild variant="link" size="inline" className="w-fit">
        <a href="/login">{t("signIn")}</a>
      </Button>
    </div>
  );
}
