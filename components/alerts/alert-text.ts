"use client";

import { useTranslations } from "use-intl";
import type { Alert, Fallback } from "@/lib/contracts/console/alerts";
import { DAY_MS, HOUR_MS } from "@/lib/contracts/durations";
import type { Catalogue } from "@/lib/messages/catalogue";
import { useAmounts } from "../charts/use-amounts";
import { useRelativeTime } from "../ui/relative-time";

type Reason = keyof Catalogue["alerts"]["facts"]["reason"];
type Advice = keyof Catalogue["channels"]["advice"];
type ErrorKey = keyof Catalogue["alerts"]["error"];

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const periodOf = (value: unknown) => (value === "daily" || value === "monthly" ? value : "total");
/** Whether the budget is not fully spent, although it refused a request. */
const isBudgetLeft = ({ kind, detail }: Pick<Alert, "kind" | "detail">) =>
  kind === "budget_spent" && number(detail.percent) < 100;
/** Most names in a sentence. */
const MAX_NAMES = 5;
const SECOND_MS = 1_000;
const UNITS_MS = [
  ["days", DAY_MS],
  ["hours", HOUR_MS],
  ["minutes", 60_000],
] as const;

/** Texts of alerts in the page's language. */
export function useAlertText() {
  const t = useTranslations("alerts");
  const tAdvice = useTranslations("channels.advice");
  const { decimal } = useAmounts();

  function titleOf(alert: Alert): string {
    const { kind, subject_name, subject, detail, state } = alert;
    // Alerts of an older version have no peak; theirs was at least the threshold.
    const peak = number(detail.peak_percent || detail.threshold);
    const percent = kind === "error_rate" && state === "resolved" ? peak : number(detail.percent);
    const values = { name: subject_name ?? subject, percent: decimal(percent, 1) };
    const group = state === "opened" ? "kind" : "over";
    const models = kind === "channel_open" && Array.isArray(detail.models) ? detail.models.map(text) : [];
    if (kind === "error_rate" && (detail.scope === "model" || detail.scope === "key"))
      return t(`${group}.error_rate_${detail.scope}`, values);
    if (models.length > 0) return t(`${group}.channel_models`, { ...values, models: models.join(", ") });
    return t(`${group}.${isBudgetLeft(alert) ? "budget_left" : kind}`, values);
  }

  /** For a channel that is down: what serves its models instead, or that nothing does. */
  function fallbacksOf({ kind, detail }: Alert): string[] {
    if (kind !== "channel_open" || !Array.isArray(detail.fallbacks)) return [];
    // The contract: a list of `Fallback`; alerts of an older version have none.
    return (detail.fallbacks as Fallback[]).map(({ models, channels, recovering }) => {
      const values = { models: namesOf(models), channels: namesOf(channels), count: models.length };
      if (channels.length > 0) return t("fallback.served", values);
      return t(recovering ? "fallback.recovering" : "fallback.none", values);
    });
  }

  /** What to do about an open alert; for a channel, according to the reason why its circuit opened. */
  function adviceOf(alert: Alert): string {
    const { kind, detail } = alert;
    if (kind === "budget_spent")
      return t(`todo.${isBudgetLeft(alert) ? "budget_left" : kind}`, { period: periodOf(detail.period) });
    if (kind !== "channel_open") return t(`todo.${kind}`);
    // Checked by `has`.
    const reason = (text(detail.reason) || "unknown") as Advice;
    const isFailure = reason === "failures" || reason === "error_rate";
    if (isFailure && detail.circuits === "models") return t("todo.channel_models");
    return tAdvice(tAdvice.has(reason) ? reason : "unknown");
  }

  /** "a, b and 3 more" */
  function namesOf(names: readonly string[]): string {
    const shown = names.slice(0, MAX_NAMES).join(", ");
    const rest = names.length - MAX_NAMES;
    return rest > 0 ? t("fallback.more", { names: shown, count: rest }) : shown;
  }

  /** How long the alert was open, in the largest unit of which that is at least two: "90 minutes", "2 hours". */
  function durationOf({ opened_at, resolved_at }: Alert): string {
    const ms = Date.parse(resolved_at ?? opened_at) - Date.parse(opened_at);
    const [unit, unitMs] = UNITS_MS.find(([, size]) => ms >= 2 * size) ?? (["seconds", SECOND_MS] as const);
    return t(`duration.${unit}`, { count: Math.floor(ms / unitMs) });
  }

  return { titleOf, adviceOf, factsOf: useFactsText(), fallbacksOf, durationOf, ...useDeliveryText() };
}

/** The figures behind an alert; empty without any. */
function useFactsText() {
  const t = useTranslations("alerts");
  const { count, money, bytes } = useAmounts();
  return ({ kind, detail }: Alert): string => {
    switch (kind) {
      case "channel_open": {
        // Checked by `has`.
        const reason = text(detail.reason) as Reason;
        return reason && t.has(`facts.reason.${reason}`) ? t(`facts.reason.${reason}`) : "";
      }
      case "error_rate":
        return t("facts.calls", {
          failures: count(number(detail.failures)),
          calls: count(number(detail.calls)),
        });
      case "budget_nearly_spent":
      case "budget_spent":
        return t(`facts.budget.${periodOf(detail.period)}`, {
          spent: money(Number(text(detail.spent_usd))),
          limit: money(Number(text(detail.limit_usd))),
        });
      case "disk":
        return t("facts.disk", {
          free: bytes(number(detail.free_bytes)),
          total: bytes(number(detail.total_bytes)),
        });
      case "redis":
        return text(detail.reason);
      case "second_server":
        return Array.isArray(detail.servers) ? detail.servers.map(text).join(" · ") : "";
    }
  };
}

/** Texts of deliveries to webhooks in the page's language. */
function useDeliveryText() {
  const t = useTranslations("alerts");
  const relativeTime = useRelativeTime();
  const { count } = useAmounts();

  function errorOf(error: string | null): string {
    const [, status] = /^status_(\d+)$/.exec(error ?? "") ?? [];
    if (status !== undefined) return t("error.status", { status });
    // Checked by `has`.
    const key = (error ?? "failed") as Exclude<ErrorKey, "status">;
    return t.has(`error.${key}`) ? t(`error.${key}`) : t("error.failed");
  }

  /** State of the newest message to the webhooks; empty without one. */
  function deliveryOf({ delivery }: Alert): string {
    const webhook = t(`delivery.${delivery.webhook ?? "signed"}`);
    switch (delivery.state) {
      case "none":
        return "";
      case "snoozed":
        return t("delivery.snoozed");
      case "delivered":
        return t("delivery.delivered", { when: delivery.at ? relativeTime(delivery.at) : "" });
      case "failed": {
        const values = { webhook, attempts: count(delivery.attempts), error: errorOf(delivery.error) };
        return t("delivery.failed", values);
      }
      case "pending":
        return delivery.error
          ? t("delivery.retry", { webhook, error: errorOf(delivery.error) })
          : t("delivery.pending");
    }
  }

  return { errorOf, deliveryOf };
}

/** The page where the cause of an alert can be fixed. */
export function alertHref({ kind, subject, subject_name, detail }: Alert): string {
  const failed = "/logs?status=failed&range=1h";
  switch (kind) {
    case "channel_open":
      return `/channels/${encodeURIComponent(subject)}`;
    case "error_rate":
      if (detail.scope === "model") return `${failed}&model=${encodeURIComponent(subject)}`;
      if (detail.scope === "key") return `${failed}&key_id=${encodeURIComponent(subject)}`;
      return failed;
    case "budget_nearly_spent":
    case "budget_spent":
      return `/${detail.owner === "user" ? "users" : "keys"}?q=${encodeURIComponent(subject_name ?? "")}`;
    case "disk":
    case "second_server":
    case "redis":
      return "/settings";
  }
}
