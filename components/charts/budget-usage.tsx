"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import { Progress } from "../ui/progress";
import { useAmounts } from "./use-amounts";

const PERIODS = ["daily_usd", "monthly_usd", "total_usd"] as const;

/** Spend of a key: a bar of its tightest budget or, without a budget, its total spend. */
export function KeyUsage({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("common.budget");
  const { money } = useAmounts();
  return (
    <BudgetBar of={apiKey}>
      <span className="tabular text-ink-muted">
        {t("none", { spent: money(Number(apiKey.spent.total_usd)) })}
      </span>
    </BudgetBar>
  );
}

/** How much of the tightest budget is spent, as a bar; `children` where there is no budget. */
export function BudgetBar({ of, children }: { of: Pick<ApiKey, "budget" | "spent">; children: ReactNode }) {
  const t = useTranslations("common.budget");
  const { money } = useAmounts();
  const tightest = mostSpentBudget(of);
  if (!tightest) return children;
  const { period, spent, limit, share } = tightest;
  return (
    <span className="grid max-w-48 gap-1.5">
      <span className="tabular">
        {t("of", { spent: money(spent), limit: money(limit) })}{" "}
        <span className="text-ink-muted">{t(period)}</span>
      </span>
      <Progress
        label={t("label")}
        value={Math.round(share * 100)}
        tone={share >= 1 ? "bad" : share >= 0.8 ? "warn" : "ink"}
      />
    </span>
  );
}

/** The budget with the largest spent share, 0 to 1; undefined without a budget. */
export function mostSpentBudget(of: Pick<ApiKey, "budget" | "spent">) {
  return PERIODS.flatMap((period) => {
    const limit = of.budget[period];
    if (limit === null) return [];
    const spent = Number(of.spent[period]);
    const share = Number(limit) > 0 ? Math.min(1, spent / Number(limit)) : 1;
    return [{ period, spent, limit: Number(limit), share }];
  }).sort((a, b) => b.share - a.share)[0];
}
