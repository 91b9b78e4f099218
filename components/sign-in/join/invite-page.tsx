"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { FailedLink, InvalidLink, LoadingLink, SignedInNotice } from "./link-states";
import { NewAccountForm } from "./new-account-form";
import { useOneTimeLink } from "./use-one-time-link";

/** Creates an account from an invite link. `signedInAs`: the username of this browser's session. */
export function InvitePage({ signedInAs }: { signedInAs: string | null }) {
  const t = useTranslations("join.invite");
  const { link, open, markInvalid } = useOneTimeLink("invite");
  switch (link.state) {
    case "loading":
      return <LoadingLink />;
    case "invalid":
      return <InvalidLink />;
    case "failed":
      return <FailedLink error={link.error} onRetry={() => void open()} />;
    case "valid": {
      const { role, email, made_by } = link.facts;
      return (
        <NewAccountForm
          onCreate={(account) => callApi(api.acceptInvite, { body: { token: link.token, ...account } })}
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
      );
    }
    default:
      return link satisfies never;
  }
}
