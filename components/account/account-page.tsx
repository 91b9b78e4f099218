"use client";

import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { SELF_PATH, useSelf } from "@/lib/client/account";
import type { Self } from "@/lib/contracts/console/user";
import { PageHeader } from "../shell/page-header";
import { Notice } from "../ui/notice";
import { PasswordSection } from "./password-section";
import { ProfileSection } from "./profile-section";
import { SessionsSection } from "./sessions-section";
import { TwoFactorSection } from "./two-factor-section";

/** `self`: the signed-in user as the server knew them when it made the page. */
export function AccountPage({
  self,
  mustEnrol,
  passwordMinimum,
}: {
  self: Self;
  /** Their role needs a second factor: until it is on, nothing else is open to them. */
  mustEnrol: boolean;
  passwordMinimum: number;
}) {
  return (
    <SWRConfig value={{ fallback: { [SELF_PATH]: self } }}>
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
  const { data: self = initial } = useSelf();
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      {mustEnrol && !self.two_factor_enabled ? (
        <Notice tone="warn" title={t("twoFactor.needed")} className="mb-6">
          {t("twoFactor.neededText")}
        </Notice>
      ) : null}
      {/* First for as long as the page stands: the dialog that shows the backup codes must not move. */}
      {mustEnrol ? <TwoFactorSection self={self} /> : null}
      <ProfileSection self={self} />
      <PasswordSection self={self} minimum={passwordMinimum} />
      {mustEnrol ? null : <TwoFactorSection self={self} />}
      <SessionsSection />
    </div>
  );
}
