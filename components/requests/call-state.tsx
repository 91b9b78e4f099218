import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { cn } from "../ui/class-names";
import { Lamp } from "../ui/status-dot";

export type CallStanding = "running" | "ok" | "failed" | "left";

/** How a call stands: what its lamp shows. */
export function standingOf(call: Pick<UsageRow, "state" | "error">): CallStanding {
  if (call.state === "open") return "running";
  if (call.error === null) return "ok";
  return call.error === "caller_left" ? "left" : "failed";
}

const TONES = { running: "signal", ok: "good", failed: "bad", left: "warn" } as const;

/** Lamp and words of a call's outcome: the status it was answered with, or its error's code. */
export function CallState({ call, className }: { call: UsageRow; className?: string }) {
  const t = useTranslations("calls.state");
  const standing = standingOf(call);
  return (
    <span className={cn("flex min-w-0 items-center gap-2", className)}>
      <Lamp tone={TONES[standing]} />
      {standing === "running" ? (
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
            className={cn("truncate", standing === "failed" ? "text-bad" : "text-warn")}
          >
            {call.error}
          </code>
        </>
      )}
    </span>
  );
}
