"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { CallError } from "../../forms/call-error";
import { clockTime, useCountdown } from "../../forms/countdown";
import { Notice } from "../../ui/notice";

/** The error above a form; after too many attempts, a countdown. */
export function JoinError({ error }: { error: unknown }) {
  if (isApiError(error, "rate_limited") && error.retryAfter)
    return <RetryCountdown key={error.requestId} seconds={error.retryAfter} />;
  return <CallError error={error} />;
}

function RetryCountdown({ seconds }: { seconds: number }) {
  const t = useTranslations("join");
  const [until] = useState(() => Date.now() + seconds * 1_000);
  const left = useCountdown(until);
  return left > 0 ? <Notice tone="warn">{t("wait", { time: clockTime(left) })}</Notice> : null;
}
