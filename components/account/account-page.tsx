"use client";

import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { SELF_PATH, useSelf } from "@/lib/client/account";
import type { Self } from "@/lib/contracts/user";
import { PageHeader } from "../shell/page-header";
import { PasswordSection } from "./password-section";
import { ProfileSection } from "./profile-section";
import { SecondFactorSection } from "./second-factor-section";
import { SessionsSection } from "./sessions-section";

/** `self`: the signed-in user as the server knew them when it made the page. */
export function AccountPage({ self }: { self: Self }) {
  return (
    <SWRConfig value={{ fallback: { [SELF_PATH]: self } }}>
      <Sections initial={self} />
    </SWRConfig>
  );
}

function Sections({ initial }: { initial: Self }) {
  const t = useTranslations("account");
  const { data: self = initial } = useSelf();
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      <ProfileSection self={self} />
      <PasswordSection self={self} />
      <SecondFactorSection self={self} />
      <SessionsSection />
    </div>
  );
}
