"use client";

import { useFormatter, useTranslations } from "use-intl";
import type { ManagedUser } from "@/lib/contracts/console/user";
import { useAmounts } from "../charts/use-amounts";
import { Notice } from "../ui/notice";

export type OwnLimits = Pick<ManagedUser, "rpm" | "tpm" | "concurrency" | "budget">;

/** The limits of all the viewer's keys together; renders nothing without one. */
export function OwnLimitsNotice({ limits }: { limits: OwnLimits }) {
  const t = useTranslations("apiKeys.ownLimits");
  const format = useFormatter();
  const { money } = useAmounts();
  const rates = (["rpm", "tpm", "concurrency"] as const).flatMap((name) => {
    const count = limits[name];
    return count === null ? [] : [t(name, { count })];
  });
  const budgets = (["daily_usd", "monthly_usd", "total_usd"] as const).flatMap((period) => {
    const amount = limits.budget[period];
    return amount === null ? [] : [t(period, { amount: money(Number(amount)) })];
  });
  const all = [...rates, ...budgets];
  if (all.length === 0) return null;
  return (
    <Notice tone="info" title={t("title")} className="mb-4">
      {format.list(all, { type: "unit", style: "short" })}. {t("text")}
    </Notice>
  );
}
