import type { OwnBudget } from "../../contracts/console/user";
import { toTimestamp } from "../../contracts/timestamp";
import { type BillingPeriod, billingPeriod } from "../../gateway/metering/billing-period";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";
import { shownBudget, shownSpent } from "./limits";

/** Time zone offsets are multiples of 15 minutes, so a day never begins within one. */
const QUARTER_MS = 900_000;
const HOUR_MS = 4 * QUARTER_MS;
/** Longer than any day or month, including a change of daylight-saving time. */
const MAX_PERIOD_MS = { day: 26 * HOUR_MS, month: 32 * 24 * HOUR_MS } as const;

/** Start of the next billing day or month after `now` in an IANA time zone, in milliseconds since 1970. */
export function nextPeriodStart(timeZone: string, now: number, period: keyof BillingPeriod): number {
  const current = billingPeriod(timeZone, now)[period];
  let inside = Math.floor(now / QUARTER_MS);
  let beyond = inside + MAX_PERIOD_MS[period] / QUARTER_MS;
  while (beyond - inside > 1) {
    const middle = Math.floor((inside + beyond) / 2);
    if (billingPeriod(timeZone, middle * QUARTER_MS)[period] === current) inside = middle;
    else beyond = middle;
  }
  return beyond * QUARTER_MS;
}

/** What the caller's keys together may spend, and have spent. */
export async function readOwnBudget(ctx: ConsoleContext): Promise<OwnBudget> {
  const { user } = requireSession(ctx);
  const now = ctx.clock.now();
  const { timeZone } = ctx.instance;
  const statuses = await ctx.store.users.statuses([user.id], now);
  return {
    budget: shownBudget(user.budget),
    spent: shownSpent(statuses.get(user.id)?.spent),
    daily_resets_at: toTimestamp(nextPeriodStart(timeZone, now, "day")),
    monthly_resets_at: toTimestamp(nextPeriodStart(timeZone, now, "month")),
  };
}
