"use client";

import { useTranslations } from "use-intl";
import type { SchemaRow } from "@/components/api-docs/openapi/schema-rows";
import { cn } from "../ui/class-names";

/** The fields of a body, with nested fields indented. */
export function SchemaTable({
  title,
  rows,
  empty,
  isCollapsed = false,
  isReply = false,
}: {
  title: string;
  rows: readonly SchemaRow[];
  empty?: string;
  /** Shows only the title until it is opened. */
  isCollapsed?: boolean;
  /** Hides "required", which says nothing in a response. */
  isReply?: boolean;
}) {
  if (isCollapsed)
    return (
      <details>
        <summary className="w-fit cursor-pointer text-sm font-medium">{title}</summary>
        <Rows rows={rows} isReply={isReply} className="mt-1.5" />
      </details>
    );
  return (
    <div className="grid gap-1.5">
      <h4 className="text-sm font-medium">{title}</h4>
      {rows.length === 0 ? (
        <p className="text-sm text-ink-muted">{empty}</p>
      ) : (
        <Rows rows={rows} isReply={isReply} />
      )}
    </div>
  );
}

const INDENTS = ["", "pl-4", "pl-8", "pl-12"] as const;

function Rows({
  rows,
  isReply,
  className,
}: {
  rows: readonly SchemaRow[];
  isReply: boolean;
  className?: string;
}) {
  const t = useTranslations("apiDocs.operation");
  return (
    <dl className={cn("divide-y rounded-md border bg-panel text-sm", className)}>
      {rows.map((row) => (
        <div
          key={row.path}
          className="grid gap-x-4 gap-y-0.5 px-3 py-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]"
        >
          <dt className={cn("min-w-0 break-words", INDENTS[Math.min(row.depth, INDENTS.length - 1)])}>
            <code title={row.path}>{row.depth === 0 ? row.path : lastSegment(row.path)}</code>
            {row.isRequired && !isReply ? (
              <span className="ml-2 text-xs text-signal-ink">{t("required")}</span>
            ) : null}
          </dt>
          <dd className="min-w-0 break-words text-ink-muted">
            <code className="text-ink">{row.type}</code>
            {row.rules.length > 0 ? (
              <span className="ml-2 text-ink-faint">{row.rules.join(" · ")}</span>
            ) : null}
            {row.description ? <span className="block">{row.description}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** `contents[].parts` → `parts`. */
function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
