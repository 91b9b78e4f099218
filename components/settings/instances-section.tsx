"use client";

import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { InstanceStatus } from "@/lib/contracts/console/instances";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { type Column, RecordList } from "../shell/record-list";
import { Badge, StatusDot } from "../ui/badge";
import { Facts } from "../ui/facts";
import { Notice } from "../ui/notice";
import { RelativeTime } from "../ui/relative-time";
import { Skeleton } from "../ui/skeleton";
import { useSection } from "./settings-page-context";

/** Milliseconds between polls: as often as instances report. */
const REFRESH_MS = 5_000;
const TONES = { running: "good", draining: "warn", late: "bad" } as const;
const FIGURE = "text-right tabular whitespace-nowrap";

/** The processes that serve this Patchbay, with load and version. */
export function InstancesSection() {
  const t = useTranslations("settings.instances");
  const { isShown } = useSection();
  const refreshInterval = isShown ? REFRESH_MS : 0;
  const { data, error, mutate } = useApi(api.listInstances, {}, { refreshInterval });
  const items = data?.items;
  return (
    <section aria-label={t("title")} className="grid gap-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <p className="text-ink-muted">{t("text")}</p>
        {items ? <Total items={items} /> : null}
      </div>
      {/* Also shown above a list: after a few failures polling ends and the list may be outdated. */}
      <CallError error={error} onRetry={() => void mutate()} />
      {items ? (
        <>
          <Warnings items={items} />
          <InstanceList items={items} />
          <p className="max-w-prose text-sm text-ink-faint">{t("lagHint")}</p>
        </>
      ) : error ? null : (
        <Skeleton className="h-32 w-full" />
      )}
    </section>
  );
}

/** The sum over the instances that still report. */
function sumOf(items: readonly InstanceStatus[], field: "in_flight" | "requests_per_second"): number {
  return items.reduce((sum, item) => (item.state === "late" ? sum : sum + item[field]), 0);
}

function Total({ items }: { items: readonly InstanceStatus[] }) {
  const t = useTranslations("settings.instances");
  const { count, decimal } = useAmounts();
  return (
    <p className="tabular">
      {t("total", {
        count: items.length,
        perSecond: decimal(sumOf(items, "requests_per_second"), 1),
        inFlight: count(sumOf(items, "in_flight")),
      })}
    </p>
  );
}

/** What an operator must act on: a process that stopped reporting, and an unfinished upgrade. */
function Warnings({ items }: { items: readonly InstanceStatus[] }) {
  const t = useTranslations("settings.instances");
  const versions = [...new Set(items.map((item) => item.version))].sort();
  const late = items.filter((item) => item.state === "late");
  return (
    <>
      {late.length > 0 ? (
        <Notice tone="bad" title={t("lateTitle")}>
          {t("lateText", { names: late.map((item) => `${item.host} (${item.address})`).join(", ") })}
        </Notice>
      ) : null}
      {versions.length > 1 ? (
        <Notice tone="warn" title={t("mixedTitle")}>
          {t("mixedText", { versions: versions.join(", ") })}
        </Notice>
      ) : null}
    </>
  );
}

function InstanceList({ items }: { items: readonly InstanceStatus[] }) {
  const t = useTranslations("settings.instances");
  const { bytes, count, decimal, ms } = useAmounts();
  const figure = (
    name: "inFlight" | "perSecond" | "cpu" | "memory" | "lag",
    cell: Column<InstanceStatus>["cell"],
  ): Column<InstanceStatus> => ({ name, heading: t(`column.${name}`), cell, className: FIGURE });
  const columns: Column<InstanceStatus>[] = [
    {
      name: "instance",
      heading: t("column.instance"),
      cell: (item) => <Name item={item} />,
      isOnCard: () => false,
    },
    {
      name: "state",
      heading: t("column.state"),
      cell: (item) => (
        <span className="flex items-center gap-2 whitespace-nowrap">
          <StatusDot tone={TONES[item.state]} />
          {t(`state.${item.state}`)}
        </span>
      ),
    },
    { name: "version", heading: t("column.version"), cell: (item) => <code>{item.version}</code> },
    {
      name: "started",
      heading: t("column.started"),
      cell: (item) => <RelativeTime at={item.started_at} />,
      className: "whitespace-nowrap",
    },
    figure("inFlight", (item) => count(item.in_flight)),
    figure("perSecond", (item) => decimal(item.requests_per_second, 1)),
    figure("cpu", (item) => `${count(item.cpu_percent)}%`),
    figure("memory", (item) => bytes(item.memory_bytes)),
    figure("lag", (item) => ms(item.change_lag_ms)),
  ];
  return (
    <RecordList
      label={t("title")}
      items={items}
      columns={columns}
      cardTitle={(item) => <Name item={item} />}
    />
  );
}

function Name({ item }: { item: InstanceStatus }) {
  const t = useTranslations("settings.instances");
  return (
    <span className="grid min-w-0 gap-0.5" title={item.id}>
      <span className="flex items-center gap-2">
        <span className="truncate font-medium">{item.host}</span>
        {item.current ? <Badge tone="outline">{t("current")}</Badge> : null}
      </span>
      <Facts className="text-sm text-ink-faint">
        <code>{item.address}</code>
        {t("pid", { pid: String(item.pid) })}
      </Facts>
    </span>
  );
}
