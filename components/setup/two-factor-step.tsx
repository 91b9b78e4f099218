"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import { CallError } from "../forms/call-error";
import { EnrolTwoFactor } from "../two-factor/enrol";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";
import { StepActions, StepBody } from "./wizard-frame";

export function TwoFactorStep({ username, onNext }: { username: string; onNext(): void }) {
  const t = useTranslations("setup.twoFactor");
  const common = useTranslations("common");
  const { data, error, mutate } = useApi(api.readTwoFactor);
  // 2FA is already enabled while the backup codes are still shown.
  const [showsCodes, setShowsCodes] = useState(false);
  const codes = useTranslations("twoFactor");
  return (
    <StepBody
      title={showsCodes ? codes("codesTitle") : t("title")}
      text={showsCodes ? codes("codesText") : t("text")}
    >
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <Skeleton className="h-72" />
      ) : data.enabled && !showsCodes ? (
        <>
          <Notice tone="good">{t("isOn")}</Notice>
          <StepActions>
            <Button size="lg" onClick={onNext}>
              {common("next")}
            </Button>
          </StepActions>
        </>
      ) : (
        <>
          <EnrolTwoFactor
            username={username}
            hasHeading
            onEnabled={() => {
              setShowsCodes(true);
              void mutate();
            }}
            onDone={onNext}
          />
          {showsCodes ? null : (
            <div className="flex flex-wrap items-center gap-3 border-t pt-6">
              <Button variant="outline" onClick={onNext}>
                {t("skip")}
              </Button>
              <p className="text-sm text-ink-muted">{t("skipHint")}</p>
            </div>
          )}
        </>
      )}
    </StepBody>
  );
}
