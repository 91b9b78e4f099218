"use client";

import { useTranslations } from "use-intl";
import type { GatewayFailure } from "@/lib/client/gateway-error";
import { leaveForSignIn } from "@/lib/client/swr-config";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/error-state";

/** A failed request: the API's message, what to do, and the request ID. */
export function FailureNotice({ failure, onRetry }: { failure: GatewayFailure; onRetry?(): void }) {
  const t = useTranslations("playground.failure");
  const code = [failure.status >= 400 ? t("code", { status: failure.status }) : null, failure.code]
    .filter((one) => one !== null)
    .join(" · ");
  const advice = t(`advice.${failure.advice}`, { seconds: Math.ceil((failure.retryAfterMs ?? 0) / 1000) });
  return (
    <ErrorState
      title={failure.message || t("title")}
      message={
        <>
          <p>{advice}</p>
          {code ? <p className="mt-1 font-mono text-sm">{code}</p> : null}
        </>
      }
      requestId={failure.requestId}
      {...(onRetry ? { onRetry } : {})}
      action={
        failure.advice === "sign-in" ? (
          <Button size="sm" onClick={leaveForSignIn}>
            {t("signIn")}
          </Button>
        ) : null
      }
    />
  );
}
