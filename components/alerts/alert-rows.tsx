"use client";

import { ArrowRightIcon, BellOffIcon } from "lucide-react";
import Link from "next/link";
import { useRef } from "react";
import useSWRImmutable from "swr/immutable";
import { useFormatter, useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApiCache } from "@/lib/client/use-api";
import type { Alert, SnoozeAlert } from "@/lib/contracts/console/alerts";
import { useToastAction } from "../forms/use-action";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { ChoicesButton } from "../ui/choices-button";
import { cn } from "../ui/class-names";
import { Facts } from "../ui/facts";
import { RelativeTime } from "../ui/relative-time";
import { toast } from "../ui/toast";
import { alertHref, useAlertText } from "./alert-text";

/** Kinds that do not make calls fail. */
const WARNINGS: ReadonlySet<Alert["kind"]> = new Set(["budget_nearly_spent", "second_server", "redis"]);

/** An open alert: its subject, start and advice, and a link to the page where its cause can be fixed. */
export function OpenAlert({ alert, onChanged }: { alert: Alert; onChanged(): Promise<unknown> }) {
  const title = useRef<HTMLHeadingElement>(null);
  /** Called after a button has changed the alert: if another button replaces that one, the title gets the focus. */
  const onActed = async () => {
    await onChanged();
    if (document.activeElement === document.body) title.current?.focus();
  };
  const t = useTranslations("alerts");
  const alertText = useAlertText();
  const facts = alertText.factsOf(alert);
  const fallbacks = alertText.fallbacksOf(alert);
  const delivery = alertText.deliveryOf(alert);
  const isFailed = alert.delivery.error !== null;
  return (
    <li className="grid gap-x-6 gap-y-4 p-5 md:grid-cols-[minmax(0,1fr)_auto] md:items-center">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
        <StatusDot tone={WARNINGS.has(alert.kind) ? "warn" : "bad"} className="mt-2" />
        <h2 ref={title} tabIndex={-1} className="text-lg font-medium wrap-anywhere">
          {alertText.titleOf(alert)}
        </h2>
        <div className="col-start-2 grid gap-1">
          <Facts className="text-sm text-ink-faint">
            <RelativeTime at={alert.opened_at} phrase={(when) => t("since", { when })} />
            {facts ? <span className="tabular">{facts}</span> : null}
          </Facts>
          {fallbacks.map((line) => (
            <p key={line} className="max-w-prose wrap-anywhere">
              {line}
            </p>
          ))}
          <p className="max-w-prose text-ink-muted">{alertText.adviceOf(alert)}</p>
          {alert.kind === "channel_open" ? <ProbeResult alert={alert} onChanged={onChanged} /> : null}
          <SnoozeNote alert={alert} />
          {delivery && alert.snooze === null ? (
            <p className={cn("text-sm", isFailed ? "text-bad" : "text-ink-faint")} suppressHydrationWarning>
              {delivery}
            </p>
          ) : null}
        </div>
      </div>
      <div className="flex flex-row-reverse flex-wrap items-center justify-end gap-x-1 gap-y-2 pl-5 md:flex-row md:gap-2 md:pl-0">
        <AcknowledgeButton alert={alert} onActed={onActed} />
        <SnoozeButton alert={alert} onActed={onActed} />
        <Button asChild variant="outline" size="sm">
          <Link href={alertHref(alert)}>
            {t(`go.${linkKeyOf(alert)}`)}
            <ArrowRightIcon aria-hidden="true" />
          </Link>
        </Button>
      </div>
    </li>
  );
}

/**
 * Probes the recovering channel of an alert, once per visit; the server sends at most one probe per model and wait.
 * The cache key is not the key of an endpoint, so live updates do not repeat the probe.
 */
function useAlertCheck(id: string, onChanged: () => unknown) {
  return useSWRImmutable(["alert check", id], () => callApi(api.checkAlert, { params: { id } }), {
    revalidateOnMount: true,
    shouldRetryOnError: false,
    onSuccess: ({ probes }) => {
      if (probes.length > 0) onChanged();
    },
  });
}

/** Probes a recovering channel when its alert is opened, and says how that went; nothing if no probe was due. */
function ProbeResult({ alert, onChanged }: { alert: Alert; onChanged(): unknown }) {
  const t = useTranslations("alerts.probe");
  const { data, isValidating } = useAlertCheck(alert.id, onChanged);
  const failed = data?.probes.find((one) => !one.ok);
  const text = isValidating
    ? t("running")
    : failed
      ? t("failed", { model: failed.model })
      : data && data.probes.length > 0
        ? t("passed", { models: data.probes.map((one) => one.model).join(", ") })
        : null;
  return (
    <p
      role="status"
      className={cn("text-sm", failed ? "text-bad" : "text-ink-muted", text === null && "hidden")}
    >
      {text}
    </p>
  );
}

/** Message key of the link. */
function linkKeyOf({ kind, detail }: Alert) {
  if (kind === "budget_nearly_spent" || kind === "budget_spent")
    return detail.owner === "user" ? "user" : "key";
  return kind;
}

/** Changes an alert, then loads the alerts and their number again. */
function useAlertChange(onActed: () => Promise<void>) {
  const { reload } = useApiCache();
  const { isBusy, run } = useToastAction();
  const change = (call: () => Promise<unknown>) =>
    run(async () => {
      await call();
      await onActed();
      await reload(api.summarizeAlerts);
    });
  return { isBusy, change };
}

function AcknowledgeButton({ alert, onActed }: { alert: Alert; onActed(): Promise<void> }) {
  const t = useTranslations("alerts");
  const { isBusy, change } = useAlertChange(onActed);
  if (alert.seen_at !== null)
    return (
      <span className="px-3 text-sm text-ink-faint">
        <RelativeTime at={alert.seen_at} phrase={(when) => t("isSeen", { when })} />
      </span>
    );
  const mark = () => callApi(api.markAlertSeen, { params: { id: alert.id } });
  return (
    <Button variant="ghost" size="sm" isBusy={isBusy} onClick={() => void change(mark)}>
      {t("seen")}
    </Button>
  );
}

const DURATIONS = ["1h", "8h", "24h", "resolved"] as const satisfies readonly SnoozeAlert["for"][];

/** Who snoozed the alert and until when; nothing for an alert that is not snoozed. */
function SnoozeNote({ alert: { snooze } }: { alert: Alert }) {
  const t = useTranslations("alerts.snooze");
  const format = useFormatter();
  if (snooze === null) return null;
  const { by, until } = snooze;
  return (
    <p className="flex items-center gap-1.5 text-sm text-ink-muted" suppressHydrationWarning>
      <BellOffIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
      {until === null
        ? t("untilResolved", { by })
        : t("until", {
            by,
            when: format.dateTime(new Date(until), { dateStyle: "medium", timeStyle: "short" }),
          })}
    </p>
  );
}

/** Snoozes an open alert for a time, or ends its snooze. */
function SnoozeButton({ alert, onActed }: { alert: Alert; onActed(): Promise<void> }) {
  const t = useTranslations("alerts.snooze");
  const { isBusy, change } = useAlertChange(onActed);
  const params = { id: alert.id };
  const snooze = async (duration: SnoozeAlert["for"]) => {
    await callApi(api.snoozeAlert, { params, body: { for: duration } });
    toast.success(t("done"));
  };
  const endSnooze = async () => {
    await callApi(api.endAlertSnooze, { params });
    toast.success(t("ended"));
  };

  if (alert.snooze !== null)
    return (
      <Button variant="ghost" size="sm" isBusy={isBusy} onClick={() => void change(endSnooze)}>
        {t("end")}
      </Button>
    );
  return (
    <ChoicesButton
      button={{ variant: "ghost", size: "sm", isBusy, children: t("action") }}
      choices={DURATIONS.map((id) => ({ id, label: t(id) }))}
      onPick={(duration) => void change(() => snooze(duration))}
    />
  );
}

/** What the alert was about, how long it was open, and where it was sent. */
export function ResolvedAlert({ alert }: { alert: Alert }) {
  const t = useTranslations("alerts");
  const alertText = useAlertText();
  const delivery = alertText.deliveryOf(alert);
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-4 py-3">
      <StatusDot tone="off" className="mt-2" />
      <span className="wrap-anywhere">{alertText.titleOf(alert)}</span>
      <Facts className="col-start-2 text-sm text-ink-faint">
        <RelativeTime
          at={alert.opened_at}
          phrase={(when) => t("took", { when, duration: alertText.durationOf(alert) })}
        />
        {delivery ? <span suppressHydrationWarning>{delivery}</span> : null}
      </Facts>
    </li>
  );
}
