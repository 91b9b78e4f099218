"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { OneTimeLink, SignedInNotice } from "./link-states";
import { NewAccountForm } from "./new-account-form";

/** Creates an account from an invite link. `signedInAs`: the username of this browser's session. */
export function InvitePage({ signedInAs }: { signedInAs: string | null }) {
  const t = useTranslations("join.invite");
  return (
    <OneTimeLink kind="invite">
      {({ token, facts: { role, email, made_by } }, markInvalid) => (
        <NewAccountForm
          onCreate={(account) => callApi(api.acceptInvite, { body: { token, ...account } })}
          action={t("action")}
          personal={email ? [email] : []}
          onInvalidLink={markInvalid}
        >
          <div className="mb-1 grid gap-1">
            <h1 className="text-2xl">{t("title")}</h1>
            <p className="text-ink-muted">
              {role === "admin" ? t("asAdmin", { name: made_by }) : t("asMember", { name: made_by })}
            </p>
            {email ? <p className="text-ink-muted">{t("email", { email })}</p> : null}
          </div>
          <SignedInNotice name={signedInAs} />
        </NewAccountForm>
      )}
    </OneTimeLink>
  );
}
