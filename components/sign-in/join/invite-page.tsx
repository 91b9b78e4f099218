"use client";

import { useTranslations } from "use-intl";
import { DeadLink, FailedLink, OpeningLink, SignedInNotice } from "./link-states";
import { NewAccountForm } from "./new-account-form";
import { useLink } from "./use-link";

/** Where an invite leads: name and password of the new user. `signedInAs`: whose session this browser holds. */
export function InvitePage({ signedInAs }: { signedInAs: string | null }) {
  const t = useTranslations("join.invite");
  const { link, open, markDead } = useLink("invite");
  switch (link.state) {
    case "opening":
      return <OpeningLink />;
    case "dead":
      return <DeadLink />;
    case "failed":
      return <FailedLink error={link.error} onRetry={() => void open()} />;
    case "live": {
      const { role, email, made_by } = link.facts;
      return (
        <NewAccountForm
          path="/api/invites/accept"
          more={{ token: link.token }}
          action={t("action")}
          personal={email ? [email] : []}
          onDead={markDead}
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
