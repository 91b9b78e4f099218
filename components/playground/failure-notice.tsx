"use client";

import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { tightestBudget } from "@/lib/client/budget";
import { REJECTED } from "@/lib/client/calls";
import { type GatewayFailure, minuteLimitOf } from "@/lib/client/gateway-error";
import { leaveForSignIn } from "@/lib/client/swr-config";
import { useApi } from "@/lib/client/use-api";
import { useAmounts } from "../charts/use-amounts";
import { FailureCause } from "../requests/attempt-cause";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/error-state";

/**
 * A failed request: the API's message or, where the user's own budget or limit refused it, that limit; what to do; the
 * request ID; and for administrators the cause and a link to the logs.
 */
export function FailureNotice({ failure, onRetry }: { failure: GatewayFailure; onRetry?(): void }) {
  const t = useTranslations("playground.failure");
  const code = [failure.status >= 400 ? t("code", { status: failure.status }) : null, failure.code]
    .filter((one) => one !== null)
    .join(" · ");
  const limit = useLimitText(failure);
  const { isAdmin, callId } = useLoggedCall(failure.requestId);
  const advice = t(`advice.${failure.advice}`, { seconds: Math.ceil((failure.retryAfterMs ?? 0) / 1000) });
  const href =
    isAdmin && failure.requestId !== null && callId !== undefined
      ? logsHref(callId, failure.requestId)
      : null;
  const canSignIn = failure.advice === "sign-in";
  return (
    <ErrorState
      title={limit?.title || failure.message || t("title")}
      message={
        <>
          <p>{limit?.advice || advice}</p>
          {code ? <p className="mt-1 font-mono text-sm">{code}</p> : null}
          {callId === null ? null : <Cause callId={callId} />}
        </>
      }
      requestId={failure.requestId}
      {...(onRetry ? { onRetry } : {})}
      action={
        canSignIn || href !== null ? (
          <>
            {canSignIn ? (
              <Button size="sm" onClick={leaveForSignIn}>
                {t("signIn")}
              </Button>
            ) : null}
            {href !== null ? (
              <Button asChild variant="outline" size="sm">
                <Link prefetch={false} href={href}>
                  {t("openLogs")}
                </Link>
              </Button>
            ) : null}
          </>
        ) : null
      }
    />
  );
}

/** The call in the logs, or the rejected requests where no channel was asked, so that there is no call. */
function logsHref(callId: string | null, requestId: string): string {
  return callId === null
    ? `/logs?${new URLSearchParams({ status: REJECTED, request_id: requestId })}`
    : `/logs?${new URLSearchParams({ call: callId })}`;
}

/**
 * Whether the user is an administrator, and the log's call of a request; `callId` is null where the log has none and
 * for members, undefined until it is known.
 */
function useLoggedCall(requestId: string | null): { isAdmin: boolean; callId: string | null | undefined } {
  const { data: self } = useApi(api.readSelf);
  const isAdmin = self !== undefined && self.role !== "member";
  const query = { request_id: requestId ?? "", limit: 1 };
  const { data: calls } = useApi(api.listCalls, isAdmin && requestId !== null ? { query } : null, {
    revalidateOnFocus: false,
  });
  if (!isAdmin || requestId === null) return { isAdmin, callId: null };
  return { isAdmin, callId: calls && (calls.items[0]?.id ?? null) };
}

/** Title and advice for a request that the user's own budget or limit refused; null for other failures. */
function useLimitText(failure: GatewayFailure): { title: string; advice: string | null } | null {
  const t = useTranslations("playground.failure");
  const { money, count } = useAmounts();
  const format = useFormatter();
  const isBudget = failure.advice === "budget";
  const { data } = useApi(api.readOwnBudget, isBudget ? {} : null, { revalidateOnMount: true });
  const perMinute = minuteLimitOf(failure);
  if (perMinute !== null)
    return { title: t(`rate.${perMinute.unit}`, { limit: count(perMinute.limit) }), advice: null };
  const budget = isBudget && data ? tightestBudget(data) : null;
  if (budget === null) return null;
  const amounts = { limit: money(budget.limit), left: money(budget.left) };
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" } as const;
  const day = { day: "numeric", month: "short" } as const;
  return {
    title: t(`budget.${budget.period}.${budget.left > 0 ? "short" : "used"}`, amounts),
    advice:
      budget.resetsAt === null
        ? t("budget.raise")
        : t("budget.resets", {
            when: `${format.dateTime(new Date(budget.resetsAt), budget.period === "daily" ? time : { ...day, ...time })} UTC`,
          }),
  };
}

/** For administrators: the upstream's own message, and why channels were not tried. Callers do not get them. */
function Cause({ callId }: { callId: string | undefined }) {
  const t = useTranslations("playground.failure");
  const { data: call } = useApi(api.getCall, callId === undefined ? null : { params: { id: callId } }, {
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
