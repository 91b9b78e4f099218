"use client";

import { useTranslations } from "use-intl";
import { DeadLink, FailedLink, OpeningLink, SignedInNotice } from "./link-states";
import { ResetForm } from "./reset-form";
import { useLink } from "./use-link";

/** Where a reset link leads: a new password. `signedInAs`: whose session this browser holds. */
export function ResetPage({ signedInAs }: { signedInAs: string | null }) {
  const t = useTranslations("join.reset");
  const { link, open, markDead } = useLink("password_reset");
  switch (link.state) {
    case "opening":
      return <OpeningLink />;
    case "dead":
      return <DeadLink />;
    case "failed":
      return <FailedLink error={link.error} onRetry={() => void open()} />;
    case "live": {
      const { username, two_factor_enabled } = link.facts;
      return (
        <ResetForm token={link.token} username={username} asksCode={two_factor_enabled} onDead={markDead}>
          <div className="mb-1 grid gap-1">
            <h1 className="text-2xl">{t("title")}</h1>
            <p className="text-ink-muted">{t("text", { name: username })}</p>
          </div>
          <SignedInNotice name={signedInAs === username ? null : signedInAs} />
        </ResetForm>
      );
    }
    default:
      return link satisfies never;
  }
}
