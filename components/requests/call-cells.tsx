import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { pushQueryParams } from "@/lib/client/query-params";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";
import { StatusDot } from "../ui/badge";
import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";

type CallOutcome = "running" | "ok" | "failed" | "disconnected";

export function outcomeOf(call: Pick<UsageRow, "state" | "error">): CallOutcome {
  if (call.state === "open") return "running";
  if (call.error === null) return "ok";
  return call.error === "caller_left" ? "disconnected" : "failed";
}

/** Error codes that occur in recorded calls; each has a name and help in the messages. */
export const ERROR_CODES = [
  "upstream_error",
  "upstream_timeout",
  "upstream_rate_limited",
  "upstream_invalid",
  "upstream_truncated",
  "upstream_redirect",
  "no_channel_available",
  "overloaded",
  "invalid",
  "caller_left",
  "storage_unavailable",
  "internal",
] as const;

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

/** Names a call by its outcome, model and time. */
export function useCallName(): (call: Pick<UsageRow, "error" | "state" | "model" | "at">) => string {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  return (call) => {
    const outcome = call.error ?? t(`state.${outcomeOf(call)}`);
    return t("open", { outcome, model: call.model, time: amounts.stamp(call.at) });
  };
}

/** Opens the drawer of a call by a URL that can be shared; its click area covers the whole row. */
export function CallLink({ call, children }: { call: UsageRow; children: ReactNode }) {
  const name = useCallName();
  const query = new URLSearchParams(useSearchParams());
  const isOpen = query.get("call") === call.id;
  query.set("call", call.id);
  return (
    <Link
      href={`?${query}`}
      scroll={false}
      prefetch={false}
      aria-label={name(call)}
      aria-current={isOpen ? "true" : undefined}
      data-call={call.id}
      className="after:absolute after:inset-0"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        // Changes the URL only: the page is already loaded. The URL may be newer than `query`.
        event.preventDefault();
        pushQueryParams({ call: call.id });
      }}
    >
      {children}
    </Link>
  );
}

/** Amount of a call: audio length, else tokens. `isUnlabelled`: no column header says that a duration is audio. */
export function CallAmount({ call, isUnlabelled }: { call: UsageRow; isUnlabelled?: boolean }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const tokens = useTokenText();
  if (call.audio_ms > 0) {
    const length = amounts.audio(call.audio_ms);
    return <>{isUnlabelled ? t("audio", { length }) : length}</>;
  }
  return <>{tokens(call.input_tokens + call.output_tokens)}</>;
}

/** Formats a number of tokens: `1,204 tokens`. */
export function useTokenText(): (tokens: number) => string {
  const t = useTranslations("requests");
  const { count } = useAmounts();
  return (tokens) => t("tokens", { number: tokens, count: count(tokens) });
}

/** Copies a request ID. `relative`: above the click area of the row (`CallLink`). */
export function CopyRequestId({ id }: { id: string }) {
  const t = useTranslations("requests");
  return <CopyButton value={id} name={t("copyRequestId", { id })} className="relative size-7 shrink-0" />;
}
