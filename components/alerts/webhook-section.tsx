"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";

const WebhookControls = dynamic(() => import("./webhook-controls").then((one) => one.WebhookControls));

/** The webhooks that receive alerts; without one, a sentence. */
export function WebhookSection() {
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
