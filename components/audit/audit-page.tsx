"use client";

import { RefreshCwIcon, ScrollTextIcon, SearchXIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApiPages } from "@/lib/client/use-api-pages";
import type { AuditCheck } from "@/lib/contracts/console/audit";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { LoadMore, ResultCount } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { EmptyState } from "../ui/empty-state";
import { keepingFocus } from "../ui/keep-focus";
import { Notice } from "../ui/notice";
import { AuditFilters, clearFilters } from "./audit-filters";
import { AuditList, AuditListSkeleton } from "./audit-list";
import { auditQuery, useAuditCheck } from "./use-audit";

/** The audit log with its filters, which are part of the URL. */
export function AuditPage() {
  const t = useTranslations("audit");
  const address = useSearchParams();
  // A relative period is resolved when it is chosen, so that the list stays the same while it is read.
  const query = useMemo(() => auditQuery(address, Date.now()), [address]);
  const list = useApiPages(api.listAudit, { query });
  const { items: rows, error, reload } = list;
  const check = useAuditCheck();
  const hasNoRows = Boolean(error && !rows?.length);
  const isUnchecked = Boolean(check.error && !check.data);
  const isFiltered = Object.keys(query).length > 0;
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      {/* An error of both requests is shown once. */}
      {hasNoRows && isUnchecked ? null : <ChainCheck />}
      <AuditFilters rows={rows ?? []} />
      <ResultCount
        query={list.query}
        rows={isFiltered && list.isCurrent ? rows : undefined}
        hasMore={list.hasMore}
      />
      {hasNoRows ? (
        <CallError
          error={error}
          onRetry={() => {
            void reload();
            if (isUnchecked) void check.mutate();
          }}
        />
      ) : !rows ? (
        <AuditListSkeleton />
      ) : rows.length > 0 ? (
        <div className="grid gap-4">
          <AuditList rows={rows} />
          <LoadMore list={list} />
        </div>
      ) : isFiltered ? (
        <EmptyState
          icon={<SearchXIcon />}
          title={t("noMatch.title")}
          action={
            <Button variant="outline" onClick={keepingFocus(clearFilters)}>
              {t("filter.clear")}
            </Button>
          }
        >
          {t("noMatch.text")}
        </EmptyState>
      ) : (
        <EmptyState icon={<ScrollTextIcon />} title={t("empty.title")}>
          {t("empty.text")}
        </EmptyState>
      )}
    </div>
  );
}

/** Title and text of a failed verification. */
function useFailureText() {
  const t = useTranslations("audit.chain");
  const { count: plain } = useAmounts();
  return ({ rows, broken_at, expected_rows }: AuditCheck) => {
    if (broken_at !== null) {
      return { title: t("broken", { seq: plain(broken_at) }), text: t("brokenText", { rows }) };
    }
    if (expected_rows === null) return { title: t("unproven"), text: t("unprovenText", { rows }) };
    const missing = { count: expected_rows - rows, from: plain(rows + 1), to: plain(expected_rows) };
    return { title: t("cutOff", missing), text: t("cutOffText", { rows }) };
  };
}

/** Result of verifying the hash chain, and the newest row's hash. */
function ChainCheck() {
  const t = useTranslations("audit.chain");
  const failureText = useFailureText();
  const { data: check, error, isValidating, mutate } = useAuditCheck();
  if (error && !check) return <CallError className="mb-6" error={error} onRetry={() => void mutate()} />;
  if (check && !check.whole) {
    const { title, text } = failureText(check);
    return (
      <Notice tone="bad" isLive className="mb-6" title={title}>
        {text}
      </Notice>
    );
  }
  return (
    <>
      <CallError className="mb-6" error={error} />
      <section className="mb-6 grid gap-x-6 gap-y-3 rounded-md border bg-panel p-4 md:grid-cols-[minmax(0,1fr)_auto] md:items-center">
        <div className="grid gap-1">
          <p role="status" className="flex items-center gap-2 font-medium">
            <StatusDot tone={check ? "good" : "off"} />
            {check ? t("whole", { rows: check.rows }) : t("checking")}
          </p>
          <p className="max-w-prose text-sm text-ink-muted">{t("wholeText")}</p>
        </div>
        <div className="flex min-h-10 min-w-0 items-center gap-2">
          {check?.newest_hash ? (
            <span className="grid min-w-0 text-sm">
              <span className="text-ink-faint">{t("newest")}</span>
              <code className="truncate" title={check.newest_hash}>
                {check.newest_hash.slice(0, 16)}…
              </code>
            </span>
          ) : null}
          {check?.newest_hash ? <CopyButton value={check.newest_hash} name={t("copy")} /> : null}
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={t("again")}
            title={t("again")}
            isBusy={isValidating && check !== undefined}
            onClick={() => void mutate()}
          >
            <RefreshCwIcon />
          </Button>
        </div>
      </section>
    </>
  );
}
