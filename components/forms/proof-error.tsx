"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { Notice } from "../ui/notice";
import { CallError } from "./call-error";
import { clockTime, useCountdown } from "./countdown";

/** The error of a wrong password or code, or a countdown after too many attempts. */
export function ProofError({ error, wrong }: { error: unknown; wrong: string }) {
  const t = useTranslations("account.password");
  const [until, setUntil] = useState<number | null>(null);
  const waitSeconds = useCountdown(until);

  useEffect(() => {
    const wait = isApiError(error, "rate_limited") ? error.retryAfter : null;
    setUntil(wait === null ? null : Date.now() + wait * 1_000);
  }, [error]);

  if (isApiError(error, "invalid_credentials")) {
    return (
      <Notice tone="bad" isLive>
        {wrong}
      </Notice>
    );
  }
  if (isApiError(error, "rate_limited")) {
    return waitSeconds > 0 ? (
      <Notice tone="warn">{t("wait", { time: clockTime(waitSeconds) })}</Notice>
    ) : null;
  }
  return <CallError error={error} />;
}
