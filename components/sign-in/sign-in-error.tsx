"use client";

import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { CallError } from "../forms/call-error";
import { RetryCountdown } from "../forms/proof-error";
import { Notice } from "../ui/notice";

/** The error of a step of the sign-in. `unauthenticated`: the browser did not keep the session's cookie. */
export function SignInError({ error }: { error: unknown }) {
  const t = useTranslations("signIn");
  if (isApiError(error, "invalid_credentials") || isApiError(error, "unauthenticated")) {
    return (
      <Notice tone="bad" isLive>
        {error.code === "unauthenticated" ? t("noCookie") : t("wrong")}
      </Notice>
    );
  }
  if (isApiError(error, "rate_limited"))
    return <RetryCountdown key={error.requestId} seconds={error.retryAfter ?? 0} ended={t("unlocked")} />;
  return <CallError error={error} />;
}
