"use client";

import { ChevronRightIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { type AuditChange, readAuditDetail } from "@/components/audit/audit-detail";
import { pushQueryParams } from "@/lib/client/query-params";
import type { AuditRow } from "@/lib/contracts/console/audit";
import { useAmounts } from "../charts/use-amounts";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { RelativeTime } from "../ui/relative-time";
import { Skeleton, SkeletonRows } from "../ui/skeleton";
import { useAuditText } from "./audit-text";

/** The list of audit rows; a click on one expands it. */
export function AuditList({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <ul className="divide-y rounded-md border bg-panel">
      {rows.map((row) => (
        <AuditEntry key={row.seq} row={row} />
      ))}
    </ul>
  );
}

function AuditEntry({ row }: { row: AuditRow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="grid cursor-pointer list-none grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 px-4 py-3 transition-colors hover:bg-sunken/60 md:grid-cols-[minmax(0,1fr)_9rem_8.5rem_1rem] [&::-webkit-details-marker]:hidden">
          <Sentence row={row} />
          <span className="col-span-2 flex gap-3 text-sm text-ink-faint md:contents">
            <span className="md:order-2 md:text-right">
              <RelativeTime at={row.at} />
            </span>
            <Address row={row} />
          </span>
          <ChevronRightIcon
            aria-hidden="true"
            data-open={isOpen || undefined}
            className="col-start-2 row-start-1 size-4 self-center text-ink-faint transition-transform data-open:rotate-90 md:order-3 md:col-start-4"
          />
        </summary>
        {isOpen ? <AuditDetailPanel row={row} /> : null}
      </details>
    </li>
  );
}

/** "olivia changed an API key Kitchen radio", with the changed fields or their number. */
function Sentence({ row }: { row: AuditRow }) {
  const t = useTranslations("audit.row");
  const auditText = useAuditText();
  const { changes } = readAuditDetail(row.detail);
  const target = row.target === row.actor ? "" : auditText.targetOf(row);
  return (
    <span className="min-w-0 wrap-anywhere">
      <span className="font-medium">{auditText.actorOf(row)}</span>{" "}
      <span className="text-ink-muted">{auditText.actionOf(row, target !== "")}</span>{" "}
      {isId(row) ? (
        <code className="mr-2 text-sm text-ink-faint">{target}</code>
      ) : target ? (
        <span className="mr-2 font-medium">{target}</span>
      ) : null}
      {changes.length > 0 ? (
        <span className="text-sm text-ink-faint">
          {changes.length <= 3
            ? changes.map((change) => auditText.fieldOf(change.field)).join(", ")
            : t("changes", { count: changes.length })}
        </span>
      ) : null}
    </span>
  );
}

/** True for a target without a name, such as an invite. A model's target is its name, not an ID. */
function isId({ target, target_name, actor }: AuditRow): boolean {
  return target_name === null && target !== actor && /^[a-z]{2,6}_[\w-]{8,}$/.test(target);
}

function Address({ row }: { row: AuditRow }) {
  const { address } = readAuditDetail(row.detail);
  return (
    <code className="min-w-0 truncate text-sm text-ink-faint md:order-1" title={address ?? undefined}>
      {address}
    </code>
  );
}

export function AuditListSkeleton() {
  return (
    <SkeletonRows count={6} className="flex items-center justify-between gap-8 px-4 py-3.5">
      <Skeleton className="h-4 w-64 max-w-full" />
      <Skeleton className="hidden h-3 w-24 md:block" />
    </SkeletonRows>
  );
}

/** The expanded row: changed fields before and after, further values, and the row's number and hash in the chain. */
function AuditDetailPanel({ row }: { row: AuditRow }) {
  const t = useTranslations("audit.row");
  const auditText = useAuditText();
  const detail = readAuditDetail(row.detail);
  return (
    <div className="grid gap-4 border-t bg-sunken/50 px-4 py-4">
      {detail.changes.length > 0 ? <Changes changes={detail.changes} /> : null}
      <EntryFacts row={row} />
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" onClick={() => pushQueryParams({ actor: row.actor })}>
          <span className="max-w-64 truncate">{t("onlyActor", { name: auditText.actorOf(row) })}</span>
        </Button>
        {row.target && row.target !== row.actor ? (
          <Button variant="outline" size="sm" onClick={() => pushQueryParams({ target: row.target })}>
            <span className="max-w-64 truncate">{t("onlyTarget", { name: auditText.targetOf(row) })}</span>
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** Changed fields: a table on wide screens, stacked on narrow ones. */
function Changes({ changes }: { changes: readonly AuditChange[] }) {
  const t = useTranslations("audit.row");
  const { shownValue, fieldOf } = useAuditText();
  const cell = "block px-3 py-1 align-top wrap-anywhere sm:table-cell sm:py-2";
  return (
    <div className="overflow-hidden rounded-md border bg-panel">
      <table className="block w-full text-sm sm:table">
        <thead className="hidden text-ink-faint sm:table-header-group">
          <tr>
            {(["field", "before", "after"] as const).map((name) => (
              <th key={name} scope="col" className="border-b px-3 py-1.5 text-left font-normal">
                {t(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block divide-y sm:table-row-group">
          {changes.map(({ field, before, after }) => (
            <tr key={field} className="block py-1.5 sm:table-row sm:py-0">
              <th scope="row" className={`${cell} text-left font-normal`}>
                <code>{fieldOf(field)}</code>
              </th>
              <td className={`${cell} text-ink-muted`}>
                <span className="text-ink-faint sm:sr-only">{t("before")}: </span>
                {before === undefined ? (
                  <span className="text-ink-faint">—</span>
                ) : (
                  <del className="decoration-bad/60">{shownValue(field, before)}</del>
                )}
              </td>
              <td className={cell}>
                <span className="text-ink-faint sm:sr-only">{t("after")}: </span>
                {after === undefined ? (
                  <span className="text-ink-faint">—</span>
                ) : (
                  <ins className="rounded-sm bg-good-soft px-1 text-ink no-underline">
                    {shownValue(field, after)}
                  </ins>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EntryFacts({ row }: { row: AuditRow }) {
  const t = useTranslations("audit.row");
  const { count, exact } = useAmounts();
  const { shownValue, fieldOf } = useAuditText();
  const { facts, address, request, key } = readAuditDetail(row.detail);
  const known: [string, string | null, boolean][] = [
    [t("exact"), exact(row.at), false],
    [t("address"), address, true],
    [t("key"), key, true],
    [t("request"), request, true],
    [t("number"), count(row.seq), false],
  ];
  return (
    <dl className="grid gap-x-6 gap-y-2.5 text-sm sm:gap-y-1.5 sm:grid-cols-[max-content_minmax(0,1fr)]">
      {facts.map(({ field, value }) => (
        <Fact key={field} name={<code>{fieldOf(field)}</code>} value={shownValue(field, value)} />
      ))}
      <Fact name={t("action")} value={<code>{row.action}</code>} />
      {row.target ? <Fact name={t("target")} value={<code>{row.target}</code>} /> : null}
      {known.map(([name, value, isCode]) =>
        value === null ? null : <Fact key={name} name={name} value={isCode ? <code>{value}</code> : value} />,
      )}
      <Fact
        name={t("hash")}
        value={
          <span className="inline-flex max-w-full items-center gap-1">
            <code className="truncate">{row.hash}</code>
            <CopyButton value={row.hash} name={t("hash")} className="-my-2" />
          </span>
        }
      />
    </dl>
  );
}

function Fact({ name, value }: { name: ReactNode; value: ReactNode }) {
  return (
    <div className="grid min-w-0 sm:contents">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{value}</dd>
    </div>
  );
}
