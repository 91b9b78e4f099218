"use client";

import { ChevronRightIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { readAuditDetail } from "@/components/audit/audit-detail";
import type { AuditRow } from "@/lib/contracts/console/audit";
import { RelativeTime } from "../ui/relative-time";
import { Skeleton } from "../ui/skeleton";
import { AuditDetailPanel } from "./audit-detail-panel";
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
    <span className="min-w-0 break-words">
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

/** Placeholder of the list while it loads. */
export function AuditListSkeleton() {
  return (
    <div aria-busy="true" className="divide-y rounded-md border bg-panel">
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="flex items-center justify-between gap-8 px-4 py-3.5">
          <Skeleton className="h-4 w-64 max-w-full" />
          <Skeleton className="hidden h-3 w-24 md:block" />
        </div>
      ))}
    </div>
  );
}
