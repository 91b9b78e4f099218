"use client";

import { useFormatter, useTranslations } from "use-intl";
import { dollarsFormat } from "@/lib/client/money";
import type { Alert } from "@/lib/contracts/console/alerts";
import type { Catalogue } from "@/lib/messages/catalogue";
import { useRelativeTime } from "../ui/relative-time";

type Reason = keyof Catalogue["alerts"]["facts"]["reason"];
type ErrorKey = keyof Catalogue["alerts"]["error"];

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const periodOf = (value: unknown) => (value === "daily" || value === "monthly" ? value : "total");
const SECOND_MS = 1_000;
const UNITS_MS = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
] as const;

/** Formats of an alert's numbers. */
function useAlertFormat() {
  const format = useFormatter();
  return {
    plain: (value: number) => format.number(value, { numberingSystem: "latn", maximumFractionDigits: 1 }),
    money: (value: unknown) => format.number(Number(text(value)), dollarsFormat(Number(text(value)))),
    bytes: (value: unknown) =>
      format.number(number(value) / 1e9, {
        style: "unit",
        unit: "gigabyte",
        maximumFractionDigits: 1,
        numberingSystem: "latn",
      }),
  };
}

/** Texts of alerts in the page's language. */
export function useAlertText() {
  const t = useTranslations("alerts");
  const { plain, money, bytes } = useAlertFormat();

  function titleOf({ kind, subject_name, subject, detail, state }: Alert): string {
    const values = { name: subject_name ?? subject, percent: plain(Math.floor(number(detail.percent))) };
    const group = state === "opened" ? "kind" : "over";
    const models = kind === "channel_open" && Array.isArray(detail.models) ? detail.models.map(text) : [];
    if (models.length > 0) return t(`${group}.channel_models`, { ...values, models: models.join(", ") });
    return t(`${group}.${kind}`, values);
  }

  /** The figures behind the alert; empty without any. */
  function factsOf({ kind, detail }: Alert): string {
    switch (kind) {
      case "channel_open": {
        // Checked by `has`.
        const reason = text(detail.reason) as Reason;
        return reason && t.has(`facts.reason.${reason}`) ? t(`facts.reason.${reason}`) : "";
      }
      case "error_rate":
        return t("facts.calls", {
          failures: plain(number(detail.failures)),
          calls: plain(number(detail.calls)),
        });
      case "budget_nearly_spent":
      case "budget_spent":
        return t(`facts.budget.${periodOf(detail.period)}`, {
          spent: money(detail.spent_usd),
          limit: money(detail.limit_usd),
        });
      case "disk":
        return t("facts.disk", { free: bytes(detail.free_bytes), total: bytes(detail.total_bytes) });
      case "second_server":
        return Array.isArray(detail.servers) ? detail.servers.map(text).join(" · ") : "";
    }
  }

  /** How long the alert was open: "3 minutes". */
  function durationOf({ opened_at, resolved_at }: Alert): string {
    const ms = Date.parse(resolved_at ?? opened_at) - Date.parse(opened_at);
    const [unit, unitMs] = UNITS_MS.find(([, size]) => ms >= size) ?? (["seconds", SECOND_MS] as const);
    return t(`duration.${unit}`, { count: Math.round(ms / unitMs) });
  }

  return { titleOf, factsOf, durationOf, ...useDeliveryText() };
}

/** Texts of webhook deliveries in the page's language. */
function useDeliveryText() {
  const t = useTranslations("alerts");
  const relativeTime = useRelativeTime();
  const { plain } = useAlertFormat();

  function errorOf(error: string | null): string {
    const [, status] = /^status_(\d+)$/.exec(error ?? "") ?? [];
    if (status !== undefined) return t("error.status", { status });
    // Checked by `has`.
    const key = (error ?? "failed") as Exclude<ErrorKey, "status">;
    return t.has(`error.${key}`) ? t(`error.${key}`) : t("error.failed");
  }

  /** State of the newest webhook message; empty without one. */
  function deliveryOf({ delivery }: Alert): string {
    switch (delivery.state) {
      case "none":
        return "";
      case "delivered":
        return t("delivery.delivered", { when: delivery.at ? relativeTime(delivery.at) : "" });
      case "failed":
        return t("delivery.failed", { attempts: plain(delivery.attempts), error: errorOf(delivery.error) });
      case "pending":
        return delivery.error
          ? t("delivery.retry", { error: errorOf(delivery.error) })
          : t("delivery.pending");
    }
  }

  return { errorOf, deliveryOf };
}

/** The page where the cause of an alert can be fixed. */
export function alertHref({ kind, subject, subject_name, detail }: Alert): string {
  switch (kind) {
    case "channel_open":
      return `/channels/${encodeURIComponent(subject)}`;
    case "error_rate":
      return "/logs?status=failed&range=1h";
    case "budget_nearly_spent":
    case "budget_spent":
      return `/${detail.owner === "user" ? "users" : "keys"}?q=${encodeURIComponent(subject_name ?? "")}`;
    case "disk":
    case "second_server":
      return "/settings";
  }
}
