"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { Notice } from "../ui/notice";
import { CallError } from "./call-error";
import { clockTime, useCountdown } from "./countdown";

/** The error of a wrong password or code, or a countdown after too many attempts. */
export function ProofError({ error, wrong }: { error: unknown; wrong: string }) {
  if (isApiError(error, "invalid_credentials")) {
    return (
      <Notice tone="bad" isLive>
        {wrong}
      </Notice>
    );
  }
  if (isApiError(error, "rate_limited"))
    return <RetryCountdown key={error.requestId} seconds={error.retryAfter ?? 0} />;
  return <CallError error={error} />;
}

/** A countdown until another attempt is allowed; from then on the text `ended`, if any. Needs a React key per error. */
export function RetryCountdown({ seconds, ended }: { seconds: number; ended?: string }) {
  const t = useTranslations("common");
  const [until] = useState(() => Date.now() + seconds * 1_000);
  const left = useCountdown(until);
  if (left === 0)
    return ended ? (
      <Notice tone="warn" isLive>
        {ended}
      </Notice>
    ) : null;
  return (
    <>
      {/* Announced once: screen readers would read a live countdown every second. */}
      <p role="alert" className="sr-only">
        {t("tryAgainIn", { time: clockTime(seconds) })}
      </p>
      <Notice tone="warn">{t("tryAgainIn", { time: clockTime(left) })}</Notice>
    </>
  );
}
