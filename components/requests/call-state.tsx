import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { cn } from "../ui/class-names";
import { StatusDot } from "../ui/status-dot";

export type CallOutcome = "running" | "ok" | "failed" | "disconnected";

export function outcomeOf(call: Pick<UsageRow, "state" | "error">): CallOutcome {
  if (call.state === "open") return "running";
  if (call.error === null) return "ok";
  return call.error === "caller_left" ? "disconnected" : "failed";
}

const TONES = { running: "signal", ok: "good", failed: "bad", disconnected: "warn" } as const;

/** Outcome of a call: status dot, HTTP status, and the error code if it failed. */
export function CallState({ call, className }: { call: UsageRow; className?: string }) {
  const t = useTranslations("requests.state");
  const outcome = outcomeOf(call);
  return (
    <span className={cn("flex min-w-0 items-center gap-2", className)}>
      <StatusDot tone={TONES[outcome]} />
      {outcome === "running" ? (
        <span className="text-ink-muted">{t("running")}</span>
      ) : call.error === null ? (
        <>
          <span className="tabular">{call.status}</span>
          <span className="sr-only">{t("ok")}</span>
          {call.cached ? <span className="truncate text-ink-faint">{t("cached")}</span> : null}
        </>
      ) : (
        <>
          <span className="tabular">{call.status}</span>
          <code
            title={call.error}
            className={cn("truncate", outcome === "failed" ? "text-bad" : "text-warn")}
          >
            {call.error}
          </code>
        </>
      )}
    </span>
  );
}
