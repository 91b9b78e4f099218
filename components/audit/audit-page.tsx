"use client";

import { ScrollTextIcon, SearchXIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { auditQuery, useAudit, useAuditCheck } from "@/components/audit/use-audit";
import { CallError } from "../forms/call-error";
import { LoadMore } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { AuditFilters, clearFilters } from "./audit-filters";
import { AuditList, AuditListSkeleton } from "./audit-list";
import { ChainCheck } from "./chain-check";

/** The audit log with its filters, which are part of the URL. */
export function AuditPage() {
  const t = useTranslations("audit");
  const address = useSearchParams();
  // A relative period is resolved when it is chosen, so that the list stays the same while it is read.
  const query = useMemo(() => auditQuery(address, Date.now()), [address]);
  const list = useAudit(query);
  const { rows, error, reload } = list;
  const check = useAuditCheck();
  const hasNoRows = Boolean(error && !rows);
  const isUnchecked = Boolean(check.error && !check.data);
  const isFiltered = Object.keys(query).length > 0;
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      {/* An error of both requests is shown once. */}
      {hasNoRows && isUnchecked ? null : <ChainCheck />}
      <AuditFilters rows={rows ?? []} />
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
          <LoadMore list={list} label={t("more")} />
        </div>
      ) : isFiltered ? (
        <EmptyState
          icon={<SearchXIcon />}
          title={t("noMatch.title")}
          action={
            <Button variant="outline" onClick={clearFilters}>
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
