"use client";

import { useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { Money } from "../charts/money";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import { CallAmount, CallLink, CallState, CopyRequestId } from "./call-cells";

/** Optional columns, besides time, outcome, model, latency, amount and cost. */
export type CallColumn = "key" | "channel" | "attempts" | "requestId";

/** Widths of the columns, in their order. */
const WIDTHS = {
  when: "7.25rem",
  // Wide enough at 1440 px for the longest common code, `upstream_rate_limited`.
  outcome: "minmax(0,1.95fr)",
  model: "minmax(0,1.3fr)",
  channel: "minmax(0,1.2fr)",
  key: "minmax(0,1fr)",
  attempts: "3.5rem",
  latency: "4.75rem",
  amount: "5.5rem",
  cost: "5.25rem",
  requestId: "minmax(0,1fr)",
} as const;
type Column = keyof typeof WIDTHS;
const OPTIONAL: ReadonlySet<Column> = new Set<CallColumn>(["key", "channel", "attempts", "requestId"]);
const RIGHT: ReadonlySet<Column> = new Set(["attempts", "latency", "amount", "cost"]);

function columnsOf(extra: readonly Column[]): Column[] {
  // Object.keys has no literal types.
  const all = Object.keys(WIDTHS) as Column[];
  return all.filter((column) => !OPTIONAL.has(column) || extra.includes(column));
}

/**
 * One row per call; a click opens its details. Each row is its own grid container, so that the browser can skip rows
 * outside the viewport and thousands of rows scroll smoothly. On narrow screens, a list of cards.
 */
export function RequestTable({
  rows,
  columns,
  isCompact,
}: {
  rows: readonly UsageRow[];
  columns: readonly CallColumn[];
  /** Cards on wide screens too: the details are beside them. */
  isCompact: boolean;
}) {
  const t = useTranslations("requests.table");
  const open = useSearchParams().get("call");
  const shown = columnsOf(columns);
  const style = { gridTemplateColumns: shown.map((column) => WIDTHS[column]).join(" ") };
  return (
    <>
      <div className={cn("hidden overflow-hidden rounded-md border bg-panel", isCompact || "xl:block")}>
        <table aria-label={t("label")} className="block text-sm">
          <thead className="block border-b text-xs text-ink-faint">
            <tr className="grid h-9 items-center gap-3 px-4" style={style}>
              {shown.map((column) => (
                <Heading key={column} column={column} />
              ))}
            </tr>
          </thead>
          <tbody className="block divide-y">
            {rows.map((call) => (
              <tr
                key={call.id}
                data-selected={call.id === open || undefined}
                className="relative grid h-10 items-center gap-3 px-4 transition-colors [contain-intrinsic-height:2.5rem] [content-visibility:auto] hover:bg-sunken/60 data-selected:bg-signal-soft"
                style={style}
              >
                {shown.map((column) => (
                  <td
                    key={column}
                    className={cn("min-w-0 truncate", RIGHT.has(column) && "tabular text-right")}
                  >
                    <Cell call={call} column={column} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul
        aria-label={t("label")}
        className={cn("divide-y rounded-md border bg-panel", isCompact || "xl:hidden")}
      >
        {rows.map((call) => (
          <CallCard key={call.id} call={call} isOpen={call.id === open} />
        ))}
      </ul>
    </>
  );
}

function Heading({ column }: { column: Column }) {
  const t = useTranslations("requests.table");
  return (
    <th
      scope="col"
      className={cn(
        "truncate font-normal",
        RIGHT.has(column) ? "text-right" : "text-left",
        column === "requestId" && "pl-3",
      )}
    >
      {t(column)}
    </th>
  );
}

function Cell({ call, column }: { call: UsageRow; column: Column }): ReactNode {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  switch (column) {
    case "when":
      return (
        <CallLink call={call}>
          <time dateTime={call.at} title={amounts.exact(call.at)} className="tabular">
            {amounts.stamp(call.at)}
          </time>
        </CallLink>
      );
    case "outcome":
      return <CallState call={call} />;
    case "model":
      return <code title={call.model}>{call.model}</code>;
    case "channel":
      return call.channel_id === null ? (
        <span className="text-ink-faint">{t("noChannel")}</span>
      ) : (
        <span title={call.channel_name ?? undefined}>
          {call.channel_name ?? <code>{call.channel_id}</code>}
        </span>
      );
    case "key":
      return call.key_name ?? <code className="text-ink-faint">{call.key_id}</code>;
    case "attempts":
      return <span className={call.attempts > 1 ? "text-warn" : "text-ink-muted"}>{call.attempts}</span>;
    case "latency":
      return call.state === "open" ? "…" : <Latency call={call} />;
    case "amount":
      return <CallAmount call={call} />;
    case "cost":
      return <Money usd={call.cost_usd} />;
    case "requestId":
      return (
        <span className="relative flex items-center gap-1 pl-3">
          <code title={call.request_id} className="min-w-0 flex-1 truncate text-ink-muted">
            {call.request_id}
          </code>
          <CopyRequestId id={call.request_id} />
        </span>
      );
  }
}

function Latency({ call }: { call: UsageRow }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const first =
    call.first_byte_ms === null ? undefined : t("firstByteAfter", { time: amounts.ms(call.first_byte_ms) });
  return <span title={first}>{amounts.ms(call.latency_ms)}</span>;
}

function CallCard({ call, isOpen }: { call: UsageRow; isOpen: boolean }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) card.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li
      ref={card}
      data-selected={isOpen || undefined}
      className="relative grid grid-cols-[minmax(0,1fr)] scroll-my-4 gap-1.5 p-4 text-sm [contain-intrinsic-height:5.5rem] [content-visibility:auto] data-selected:bg-signal-soft"
    >
      <span className="flex items-center justify-between gap-3">
        <CallState call={call} />
        <CallLink call={call}>
          <time dateTime={call.at} className="tabular whitespace-nowrap text-ink-faint">
            {amounts.stamp(call.at)}
          </time>
        </CallLink>
      </span>
      <code className="truncate">{call.model}</code>
      <span className="flex flex-wrap gap-x-3 text-ink-muted">
        <span className="min-w-0 wrap-anywhere">
          {call.channel_name ?? call.channel_id ?? t("noChannel")}
        </span>
        {call.attempts > 1 ? (
          <span className="text-warn">{t("attempts", { count: call.attempts })}</span>
        ) : null}
        {call.state === "open" ? null : <span className="tabular">{amounts.ms(call.latency_ms)}</span>}
        <span className="tabular">
          <CallAmount call={call} isUnlabelled />
        </span>
        <Money usd={call.cost_usd} />
      </span>
    </li>
  );
}

/** Loads more rows when it is scrolled near the bottom of the window. */
export function LoadMoreTrigger({ onNear }: { onNear(): void }) {
  const marker = useRef<HTMLDivElement>(null);
  const load = useEffectEvent(onNear);
  useEffect(() => {
    if (!marker.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // Without scrolling, a list that ends within the first screen does not load more.
        if (window.scrollY > 0 && entries.some((one) => one.isIntersecting)) load();
      },
      { rootMargin: "0px 0px 400px 0px" },
    );
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={marker} />;
}
