"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTwoFactor } from "@/lib/client/account";
import { CallError } from "../forms/call-error";
import { EnrolTwoFactor } from "../two-factor/enrol";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";
import { StepActions, StepBody } from "./wizard-frame";

export function TwoFactorStep({ username, onNext }: { username: string; onNext(): void }) {
  const t = useTranslations("setup.twoFactor");
  const common = useTranslations("common");
  const { data, error, mutate } = useTwoFactor();
  // The codes stand on the screen while the status already says "on".
  const [isEnrolling, setEnrolling] = useState(false);
  const codes = useTranslations("twoFactor");
  return (
    <StepBody
      title={isEnrolling ? codes("codesTitle") : t("title")}
      text={isEnrolling ? codes("codesText") : t("text")}
    >
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <Skeleton className="h-72" />
      ) : data.enabled && !isEnrolling ? (
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
            isHeaded
            onEnabled={() => {
              setEnrolling(true);
              void mutate();
            }}
            onDone={onNext}
          />
          {isEnrolling ? null : (
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
