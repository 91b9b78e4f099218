"use client";

import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApiPages } from "@/lib/client/use-api-pages";
import { CallError } from "../forms/call-error";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { RelativeTime } from "../ui/relative-time";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";
import { useAlertText } from "./alert-text";

export const RESOLVED = { query: { state: "resolved" } } as const;

/** Resolved alerts and how long they were open. */
export function ResolvedAlerts() {
  const t = useTranslations("alerts");
  const alertText = useAlertText();
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
            {items.map((alert) => {
              const delivery = alertText.deliveryOf(alert);
              return (
                <li
                  key={alert.id}
                  className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-4 py-3"
                >
                  <StatusDot tone="off" className="mt-2" />
                  <span className="break-words">{alertText.titleOf(alert)}</span>
                  <span className="col-start-2 flex flex-wrap gap-x-1.5 text-sm text-ink-faint">
                    <RelativeTime
                      at={alert.opened_at}
                      phrase={(when) => t("took", { when, duration: alertText.durationOf(alert) })}
                    />
                    {delivery ? (
                      <>
                        <span aria-hidden="true">·</span>
                        <span suppressHydrationWarning>{delivery}</span>
                      </>
                    ) : null}
                  </span>
                </li>
              );
            })}
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
