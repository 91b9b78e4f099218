"use client";

import { BellIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached } from "@/lib/client/api";
import { loadPart } from "@/lib/client/load-part";
import { useApi } from "@/lib/client/use-api";
import { cachedPages, useApiPages } from "@/lib/client/use-api-pages";
import type { Alert, AlertsSummary } from "@/lib/contracts/console/alerts";
import type { ListPage } from "@/lib/contracts/paging";
import { ListRows } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { EmptyState } from "../ui/empty-state";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";
import { AlertRules } from "./alert-rules";

// Loaded on demand: usually there is no alert.
const OpenAlert = dynamic(() => loadPart(() => import("./alert-rows").then((one) => one.OpenAlert)));
const ResolvedAlert = dynamic(() => loadPart(() => import("./alert-rows").then((one) => one.ResolvedAlert)));
const WebhookControls = dynamic(() =>
  loadPart(() => import("./webhook-controls").then((one) => one.WebhookControls)),
);

const OPEN = { query: { state: "opened" } } as const;
const RESOLVED = { query: { state: "resolved" } } as const;
/** The interval of the server's own checks. */
const REFRESH_MS = 15_000;

/** Open and resolved alerts, the alert rules and the webhook. `first`: data read on the server. */
export function AlertsPage({
  first,
}: {
  first: { open: ListPage<Alert>; resolved: ListPage<Alert>; summary: AlertsSummary };
}) {
  const t = useTranslations("alerts");
  const fallback = {
    ...cachedPages(api.listAlerts, OPEN, first.open),
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
  const list = useApiPages(api.listAlerts, OPEN, { refreshInterval: REFRESH_MS });
  const none = (
    <EmptyState icon={<BellIcon />} title={t("calm.title")} className="py-8">
      {t("calm.text")}
    </EmptyState>
  );
  return (
    <section aria-label={t("open")} className="mb-8">
      <ListRows list={list} skeleton={<Skeleton className="h-40" />} empty={none}>
        {(items) => (
          <ul className="divide-y rounded-md border bg-panel">
            {withoutImpliedBudgets(items).map((alert) => (
              <OpenAlert key={alert.id} alert={alert} onChanged={list.reload} />
            ))}
          </ul>
        )}
      </ListRows>
    </section>
  );
}

/** Leaves out "nearly spent" alerts of budgets that are spent. */
function withoutImpliedBudgets(alerts: readonly Alert[]): Alert[] {
  const budgetOf = ({ subject, detail }: Alert) => `${subject} ${detail.period}`;
  const spent = new Set(alerts.filter((alert) => alert.kind === "budget_spent").map(budgetOf));
  return alerts.filter((alert) => alert.kind !== "budget_nearly_spent" || !spent.has(budgetOf(alert)));
}

/** Resolved alerts and how long they were open. */
function ResolvedAlerts() {
  const t = useTranslations("alerts");
  const list = useApiPages(api.listAlerts, RESOLVED);
  const none = <p className="text-ink-muted">{t("resolved.none")}</p>;
  return (
    <Section title={t("resolved.title")} text={t("resolved.text")}>
      <ListRows list={list} skeleton={<Skeleton className="h-4 w-64" />} empty={none}>
        {(items) => (
          <ul className="divide-y rounded-md border bg-panel">
            {items.map((alert) => (
              <ResolvedAlert key={alert.id} alert={alert} />
            ))}
          </ul>
        )}
      </ListRows>
    </Section>
  );
}

/** The webhooks that receive alerts; without one, a sentence. */
function WebhookSection() {
  const t = useTranslations("alerts.webhook");
  const { data: settings } = useApi(api.readSettings);
  const { data: summary } = useApi(api.summarizeAlerts);
  return (
    <Section title={t("title")} text={t("text")}>
      {!settings || !summary ? (
        <Skeleton className="h-20 max-w-form" />
      ) : settings.alerts.webhook_url === null && settings.alerts.slack_url === null ? (
        <p className="text-ink-muted">{t("none")}</p>
      ) : (
        <WebhookControls alerts={settings.alerts} />
      )}
    </Section>
  );
}
