"use client";

import { BellIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import { cachedPages } from "@/lib/client/use-api-pages";
import type { Alert, AlertsSummary } from "@/lib/contracts/console/alerts";
import type { ListPage } from "@/lib/contracts/paging";
import { CallError } from "../forms/call-error";
import { PageHeader } from "../shell/page-header";
import { EmptyState } from "../ui/empty-state";
import { Skeleton } from "../ui/skeleton";
import { AlertRules } from "./alert-rules";
import { RESOLVED, ResolvedAlerts } from "./resolved-alerts";
import { WebhookSection } from "./webhook-section";

// Mostly there is none.
const OpenAlert = dynamic(() => import("./open-alert").then((one) => one.OpenAlert));

const OPEN = { query: { state: "opened", limit: 100 } } as const;
/** The interval of the server's own checks. */
const REFRESH_MS = 15_000;

/** Data of the page, read on the server. */
export interface FirstAlerts {
  open: ListPage<Alert>;
  /** The first page. */
  resolved: ListPage<Alert>;
  summary: AlertsSummary;
}

/** Open and resolved alerts, the alert rules and the webhook. */
export function AlertsPage({ first }: { first: FirstAlerts }) {
  const t = useTranslations("alerts");
  const fallback = {
    ...cached(api.listAlerts, OPEN, first.open),
    ...cachedPages(api.listAlerts, RESOLVED, first.resolved),
    ...cached(api.summarizeAlerts, {}, first.summary),
  };
  return (
    <SWRConfig value={{ fallback }}>
      <div className="mx-auto max-w-page">
        <PageHeader title={t("title")} description={t("lead")} />
        <OpenAlerts />
        <ResolvedAlerts />
        <AlertRules />
        <WebhookSection />
      </div>
    </SWRConfig>
  );
}

function OpenAlerts() {
  const t = useTranslations("alerts");
  const { data, error, mutate } = useApi(api.listAlerts, OPEN, { refreshInterval: REFRESH_MS });
  return (
    <section aria-label={t("open")} className="mb-8">
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <Skeleton className="h-40" />
      ) : data.items.length === 0 ? (
        <EmptyState icon={<BellIcon />} title={t("calm.title")} className="py-8">
          {t("calm.text")}
        </EmptyState>
      ) : (
        <ul className="divide-y rounded-md border bg-panel">
          {withoutImpliedBudgets(data.items).map((alert) => (
            <OpenAlert key={alert.id} alert={alert} onChanged={() => void mutate()} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Leaves out "nearly spent" alerts of budgets that are spent. */
function withoutImpliedBudgets(alerts: readonly Alert[]): Alert[] {
  const budgetOf = ({ subject, detail }: Alert) => `${subject} ${detail.period}`;
  const spent = new Set(alerts.filter((alert) => alert.kind === "budget_spent").map(budgetOf));
  return alerts.filter((alert) => alert.kind !== "budget_nearly_spent" || !spent.has(budgetOf(alert)));
}
