"use client";

import { useTranslations } from "use-intl";
import { OneTimeLink, SignedInNotice } from "./link-states";
import { ResetForm } from "./reset-form";

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
