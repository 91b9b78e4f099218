"use client";

import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import type { GatewayFailure } from "@/lib/client/gateway-error";
import { leaveForSignIn } from "@/lib/client/swr-config";
import { useApi } from "@/lib/client/use-api";
import { FailureCause } from "../requests/attempt-cause";
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
          {failure.status >= 500 && failure.requestId !== null ? (
            <Cause requestId={failure.requestId} />
          ) : null}
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

/** For administrators: the upstream's own message, and why channels were not tried. Callers do not get them. */
function Cause({ requestId }: { requestId: string }) {
  const t = useTranslations("playground.failure");
  const { data: self } = useApi(api.readSelf);
  const isAdmin = self !== undefined && self.role !== "member";
  const { data: call } = useApi(api.getCall, isAdmin ? { params: { id: requestId } } : null, {
    shouldRetryOnError: false,
    revalidateOnFocus: false,
  });
  const trace = call?.trace ?? null;
  if (trace === null || (trace.skipped.length === 0 && trace.attempts.every((one) => one.message === null)))
    return null;
  return (
    <section aria-label={t("cause")} className="mt-3 grid gap-2 text-sm">
      <h4 className="font-medium text-ink">{t("cause")}</h4>
      <FailureCause trace={trace} />
    </section>
  );
}
