"use client";

import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { Self } from "@/lib/contracts/console/user";
import { PageHeader } from "../shell/page-header";
import { Notice } from "../ui/notice";
import { PasswordSection } from "./password-section";
import { ProfileSection } from "./profile-section";
import { SessionsSection } from "./sessions-section";
import { TwoFactorSection } from "./two-factor-section";

/** Profile, password, 2FA and sessions of the signed-in user. `self`: the user when the page was rendered. */
export function AccountPage({
  self,
  mustEnrol,
  passwordMinimum,
}: {
  self: Self;
  /** The user's role requires 2FA: until it is enabled, no other page opens. */
  mustEnrol: boolean;
  passwordMinimum: number;
}) {
  return (
    <SWRConfig value={{ fallback: cached(api.readSelf, {}, self) }}>
      <Sections initial={self} mustEnrol={mustEnrol} passwordMinimum={passwordMinimum} />
    </SWRConfig>
  );
}

function Sections({
  initial,
  mustEnrol,
  passwordMinimum,
}: {
  initial: Self;
  mustEnrol: boolean;
  passwordMinimum: number;
}) {
  const t = useTranslations("account");
  const { data: self = initial } = useApi(api.readSelf);
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      {mustEnrol && !self.two_factor_enabled ? (
        <Notice tone="warn" title={t("twoFactor.needed")} className="mb-6">
          {t("twoFactor.neededText")}
        </Notice>
      ) : null}
      {/* Stays first until the page is left: moving it would close its dialog while the backup codes are shown. */}
      {mustEnrol ? <TwoFactorSection self={self} /> : null}
      <ProfileSection self={self} />
      <PasswordSection self={self} minimum={passwordMinimum} />
      {mustEnrol ? null : <TwoFactorSection self={self} />}
      <SessionsSection />
    </div>
  );
}
