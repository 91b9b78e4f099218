"use client";

import Link from "next/link";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { REJECTED } from "@/lib/client/calls";
import { useApi } from "@/lib/client/use-api";
import { FailureCause } from "../requests/attempt-cause";
import { Button } from "../ui/button";

/**
 * For administrators: the ID of a request's call in the log; null where the log has none, undefined until it is known.
 */
function useCallId(requestId: string): string | null | undefined {
  const query = { request_id: requestId, limit: 1 };
  const { data: calls } = useApi(api.listCalls, { query }, { revalidateOnFocus: false });
  return calls && (calls.items[0]?.id ?? null);
}

/** Opens the call in the logs; for a request without a call, because no channel was asked, the rejected requests. */
export function LogsLink({ requestId }: { requestId: string }) {
  const t = useTranslations("playground.failure");
  const callId = useCallId(requestId);
  if (callId === undefined) return null;
  const query: Record<string, string> =
    callId === null ? { status: REJECTED, request_id: requestId } : { call: callId };
  return (
    <Button asChild variant="outline" size="sm">
      <Link prefetch={false} href={`/logs?${new URLSearchParams(query)}`}>
        {t("openLogs")}
      </Link>
    </Button>
  );
}

/** A note that the log has the call, with a link to it; nothing until the log has it. */
export function LoggedStop({ requestId }: { requestId: string }) {
  const t = useTranslations("playground.failure");
  // Live updates fetch the list again when the call is written.
  if (!useCallId(requestId)) return null;
  return (
    <>
      <p>{t("inLogs")}</p>
      <LogsLink requestId={requestId} />
    </>
  );
}

/** The upstream's own message unless it is `shown` already, and why channels were skipped. Callers get neither. */
export function LoggedCause({ requestId, shown }: { requestId: string; shown: string }) {
  const t = useTranslations("playground.failure");
  const callId = useCallId(requestId);
  const { data: call } = useApi(api.getCall, callId ? { params: { id: callId } } : null, {
    shouldRetryOnError: false,
    revalidateOnFocus: false,
  });
  const trace = call?.trace ?? null;
  if (trace === null) return null;
  const attempts = trace.attempts.filter((one) => one.message !== shown);
  if (trace.skipped.length === 0 && attempts.every((one) => one.message === null)) return null;
  return (
    <section aria-label={t("cause")} className="mt-3 grid gap-2 text-sm">
      <h4 className="font-medium text-ink">{t("cause")}</h4>
      <FailureCause trace={{ ...trace, attempts }} />
    </section>
  );
}
