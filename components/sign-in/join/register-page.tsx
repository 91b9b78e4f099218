"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { Button } from "../../ui/button";
import { NewAccountForm } from "./new-account-form";

/** Self-registration. */
export function RegisterPage() {
  const t = useTranslations("join.register");
  return (
    <div className="grid gap-5">
      <NewAccountForm
        onCreate={(account) => callApi(api.registerUser, { body: account })}
        action={t("action")}
      >
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
