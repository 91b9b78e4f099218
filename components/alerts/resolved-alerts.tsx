"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApiPages } from "@/lib/client/use-api-pages";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";

const ResolvedAlert = dynamic(() => import("./resolved-alert").then((one) => one.ResolvedAlert));

export const RESOLVED = { query: { state: "resolved" } } as const;

/** Resolved alerts and how long they were open. */
export function ResolvedAlerts() {
  const t = useTranslations("alerts");
  const { items, hasMore, loadMore, isLoadingMore, error, reload } = useApiPages(api.listAlerts, RESOLVED);
  return (
    <Section title={t("resolved.title")} text={t("resolved.text")}>
      {error && !items ? (
        <CallError error={error} onRetry={() => void reload()} />
      ) : !items ? (
        <Skeleton className="h-4 w-64" />
      ) : items.length === 0 ? (
        <p className="text-ink-muted">{t("resolved.none")}</p>
      ) : (
        <div className="grid gap-4">
          <ul className="divide-y rounded-md border bg-panel">
            {items.map((alert) => (
              <ResolvedAlert key={alert.id} alert={alert} />
            ))}
          </ul>
          {hasMore ? (
            <Button
              variant="outline"
              className="mx-auto"
              isBusy={isLoadingMore}
              onClick={() => void loadMore()}
            >
              {t("resolved.more")}
            </Button>
          ) : null}
        </div>
      )}
    </Section>
  );
}
