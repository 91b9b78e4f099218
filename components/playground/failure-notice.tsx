"use client";

import { useFormatter, useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { leastLeftBudget } from "@/lib/client/budget";
import { type GatewayFailure, minuteLimitOf } from "@/lib/client/gateway-error";
import { leaveForSignIn } from "@/lib/client/swr-config";
import { useApi } from "@/lib/client/use-api";
import type { Role } from "@/lib/contracts/console/user";
import { useAmounts } from "../charts/use-amounts";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/error-state";
import { lazyPart } from "../ui/lazy-part";

// Loaded on demand: a failure with a request ID came from the server, so the server can be reached.
const LoggedCause = lazyPart(() => import("./logged-call").then((one) => one.LoggedCause));
const LoggedStop = lazyPart(() => import("./logged-call").then((one) => one.LoggedStop));
const LogsLink = lazyPart(() => import("./logged-call").then((one) => one.LogsLink));

/** The user's role; a member's until it is known. */
function useRole(): Role {
  const { data: self } = useApi(api.readSelf);
  return self?.role ?? "member";
}

/** Whether the user is an administrator, who may read the logs. */
function useReadsLogs(): boolean {
  return useRole() !== "member";
}

/** Tells administrators that the log has a call that the user stopped before its reply. */
export function StoppedCall({ requestId }: { requestId: string }) {
  return useReadsLogs() ? <LoggedStop requestId={requestId} /> : null;
}

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
  const loggedId = useReadsLogs() ? failure.requestId : null;
  const seconds = Math.ceil((failure.retryAfterMs ?? 0) / 1000);
  const advice = t(`advice.${failure.advice}`, { seconds, role: useRole() });
  const title = limit?.title || failure.message || t("title");
  const canSignIn = failure.advice === "sign-in";
  return (
    <ErrorState
      title={title}
      message={
        <>
          <p>{limit?.advice || advice}</p>
          {code ? <p className="mt-1 font-mono text-sm">{code}</p> : null}
          {loggedId === null ? null : <LoggedCause requestId={loggedId} shown={title} />}
        </>
      }
      requestId={failure.requestId}
      onRetry={onRetry}
      action={
        canSignIn || loggedId !== null ? (
          <>
            {canSignIn ? (
              <Button size="sm" onClick={leaveForSignIn}>
                {t("signIn")}
              </Button>
            ) : null}
            {loggedId === null ? null : <LogsLink requestId={loggedId} />}
          </>
        ) : null
      }
    />
  );
}

/** Title and advice for a request that the user's own budget or limit refused; null for other failures. */
function useLimitText(failure: GatewayFailure): { title: string; advice: string | null } | null {
  const t = useTranslations("playground.failure");
  const { money, count } = useAmounts();
  const format = useFormatter();
  const role = useRole();
  const isBudget = failure.advice === "budget";
  const { data } = useApi(api.readOwnBudget, isBudget ? {} : null, { revalidateOnMount: true });
  const perMinute = minuteLimitOf(failure);
  if (perMinute !== null) {
    const text = failure.advice === "too-large" ? "exceeded" : perMinute.unit;
    return { title: t(`rate.${text}`, { limit: count(perMinute.limit) }), advice: null };
  }
  const budget = isBudget && data ? leastLeftBudget(data) : null;
  if (budget === null) return null;
  const amounts = { limit: money(budget.limit), left: money(budget.left) };
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" } as const;
  const day = { day: "numeric", month: "short" } as const;
  // A reset does not help with a budget of 0.
  if (budget.limit === 0)
    return { title: t(`budget.${budget.period}.zero`, amounts), advice: t("budget.raise", { role }) };
  return {
    title: t(`budget.${budget.period}.${budget.left > 0 ? "short" : "used"}`, amounts),
    advice:
      budget.resetsAt === null
        ? t("budget.noReset", { role })
        : t("budget.resets", {
            role,
            when: `${format.dateTime(new Date(budget.resetsAt), budget.period === "daily" ? time : { ...day, ...time })} UTC`,
          }),
  };
}
