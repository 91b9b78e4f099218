"use client";

import { useTranslations } from "use-intl";
import { FailedLink, InvalidLink, LoadingLink, SignedInNotice } from "./link-states";
import { ResetForm } from "./reset-form";
import { useOneTimeLink } from "./use-one-time-link";

/** Sets a new password from a reset link. `signedInAs`: the username of this browser's session. */
export function ResetPage({ signedInAs }: { signedInAs: string | null }) {
  const t = useTranslations("join.reset");
  const { link, open, markInvalid } = useOneTimeLink("password_reset");
  switch (link.state) {
    case "loading":
      return <LoadingLink />;
    case "invalid":
      return <InvalidLink />;
    case "failed":
      return <FailedLink error={link.error} onRetry={() => void open()} />;
    case "valid": {
      const { username, two_factor_enabled } = link.facts;
      return (
        <ResetForm
          token={link.token}
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
      );
    }
    default:
      return link satisfies never;
  }
}
