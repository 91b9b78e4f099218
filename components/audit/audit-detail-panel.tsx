"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { type AuditChange, readAuditDetail } from "@/components/audit/audit-detail";
import { setQueryParam } from "@/lib/client/query-params";
import type { AuditRow } from "@/lib/contracts/console/audit";
import { useAmounts } from "../charts/use-amounts";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { useAuditText } from "./audit-text";

/** The expanded row: changed fields before and after, further values, and the row's number and hash in the chain. */
export function AuditDetailPanel({ row }: { row: AuditRow }) {
  const t = useTranslations("audit.row");
  const auditText = useAuditText();
  const detail = readAuditDetail(row.detail);
  return (
    <div className="grid gap-4 border-t bg-sunken/50 px-4 py-4">
      {detail.changes.length > 0 ? <Changes changes={detail.changes} /> : null}
      <Facts row={row} />
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" onClick={() => setQueryParam("actor", row.actor)}>
          <span className="max-w-64 truncate">{t("onlyActor", { name: auditText.actorOf(row) })}</span>
        </Button>
        {row.target && row.target !== row.actor ? (
          <Button variant="outline" size="sm" onClick={() => setQueryParam("target", row.target)}>
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
  const cell = "block px-3 py-1 align-top break-words sm:table-cell sm:py-2";
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

function Facts({ row }: { row: AuditRow }) {
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
      <dd className="min-w-0 break-words">{value}</dd>
    </div>
  );
}
