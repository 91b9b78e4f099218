"use client";

import { BellIcon } from "lucide-react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { alertsFallback, type FirstAlerts, useOpenAlerts } from "@/lib/client/alerts";
import type { Alert } from "@/lib/contracts/console/alerts";
import { CallError } from "../forms/call-error";
import { PageHeader } from "../shell/page-header";
import { EmptyState } from "../ui/empty-state";
import { Skeleton } from "../ui/skeleton";
import { AlertRules } from "./alert-rules";
import { OpenAlert } from "./open-alert";
import { ResolvedAlerts } from "./resolved-alerts";
import { WebhookSection } from "./webhook-section";

/** Open and resolved alerts, the alert rules and the webhook. */
export function AlertsPage({ first }: { first: FirstAlerts }) {
  const t = useTranslations("alerts");
  return (
    <SWRConfig value={{ fallback: alertsFallback(first) }}>
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
  const { data, error, mutate } = useOpenAlerts();
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
