"use client";

import { useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { TwoFactorStatus } from "@/lib/contracts/console/two-factor";
import type { Self } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { clockTime, useCountdown } from "../forms/countdown";
import { PageHeader } from "../shell/page-header";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { Notice } from "../ui/notice";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";
import { PasswordSection } from "./password-section";
import { ProfileSection } from "./profile-section";
import { SessionsSection } from "./sessions-section";
import type { TwoFactorDialogKind } from "./two-factor-dialog";

interface AccountPageProps {
  /** The user when the page was rendered. */
  self: Self;
  /** The user's role requires 2FA: until it is enabled, no other page opens. */
  mustEnrol: boolean;
  /** False for members while self-registration is on. */
  canSetEmail: boolean;
  passwordMinimum: number;
}

/** Profile, password, 2FA and sessions of the signed-in user. */
export function AccountPage(props: AccountPageProps) {
  return (
    <SWRConfig value={{ fallback: cached(api.readSelf, {}, props.self) }}>
      <Sections {...props} />
    </SWRConfig>
  );
}

function Sections({ self: initial, mustEnrol, canSetEmail, passwordMinimum }: AccountPageProps) {
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
      <ProfileSection self={self} canSetEmail={canSetEmail} />
      <PasswordSection self={self} minimum={passwordMinimum} />
      {mustEnrol ? null : <TwoFactorSection self={self} />}
      <SessionsSection />
    </div>
  );
}

const TwoFactorDialog = lazyPart(() => import("./two-factor-dialog").then((one) => one.TwoFactorDialog));
const BackupCodesDialog = lazyPart(() => import("./two-factor-dialog").then((one) => one.BackupCodesDialog));

/** At this number of backup codes or fewer, the section suggests creating new ones. */
const FEW_CODES = 3;

function TwoFactorSection({ self }: { self: Self }) {
  const t = useTranslations("account.twoFactor");
  const { data, error, mutate } = useApi(api.readTwoFactor);
  const [dialog, setDialog] = useState<TwoFactorDialogKind | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  // Known from the page's data before the status has loaded.
  const isOn = data?.enabled ?? self.two_factor_enabled;
  return (
    <Section
      title={t("title")}
      text={t("text")}
      status={<Badge tone={isOn ? "good" : "warn"}>{isOn ? t("on") : t("off")}</Badge>}
    >
      <div className="grid gap-4">
        {error && !data ? <CallError error={error} onRetry={() => void mutate()} /> : null}
        <p className="max-w-prose">{isOn ? t("onText") : t("offText")}</p>
        {isOn ? <EnabledStatus status={data} /> : null}
        <div className="flex flex-wrap gap-2">
          {isOn ? (
            <>
              <Button variant="outline" onClick={() => setDialog("renew")}>
                {t("renew")}
              </Button>
              <Button variant="outline" onClick={() => setDialog("off")}>
                {t("switchOff")}
              </Button>
            </>
          ) : (
            <Button onClick={() => setDialog("enrol")}>{t("switchOn")}</Button>
          )}
        </div>
      </div>
      {dialog ? <TwoFactorDialog kind={dialog} onCodes={setCodes} onClose={() => setDialog(null)} /> : null}
      {codes ? (
        <BackupCodesDialog codes={codes} username={self.username} onClose={() => setCodes(null)} />
      ) : null}
    </Section>
  );
}

function EnabledStatus({ status }: { status: TwoFactorStatus | undefined }) {
  const t = useTranslations("account.twoFactor");
  const waitSeconds = useCountdown(status?.locked_until ? Date.parse(status.locked_until) : null);
  if (!status) return <Skeleton className="h-5.5 w-44" />;
  const left = status.backup_codes_left;
  return (
    <>
      {left <= FEW_CODES ? (
        <Notice tone="warn" title={t("codesLeft", { left })}>
          {t(left === 0 ? "noCodes" : "fewCodes")}
        </Notice>
      ) : (
        <p className="text-ink-muted">{t("codesLeft", { left })}</p>
      )}
      {waitSeconds > 0 ? <Notice tone="bad">{t("locked", { time: clockTime(waitSeconds) })}</Notice> : null}
    </>
  );
}
