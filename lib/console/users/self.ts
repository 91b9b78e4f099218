import type { OwnBudget, Self, UpdateSelf } from "../../contracts/console/user";
import { DAY_MS, HOUR_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { type BillingPeriod, billingPeriod } from "../../ports/billing-period";
import { requireSession } from "../access/guards";
import { readSettings } from "../access/read-settings";
import { recordAudit } from "../audit/record";
import { takeAttempt } from "../auth/attempt-limit";
import { userNameKey } from "../auth/user-name-key";
import type { ConsoleContext } from "../context";
import { shownBudget, shownSpent } from "./limits";
import { requireFreeNames } from "./new-user";
import { hasTwoFactor, toSelf } from "./to-user";

/**
 * Changes the caller's own profile. Throws `conflict` for a stale version or a taken e-mail address, `rate_limited`
 * (trying addresses reveals who has an account), `forbidden` (a member's e-mail while self-registration is on:
 * ownership is unproven).
 */
export async function updateSelf(ctx: ConsoleContext, input: UpdateSelf): Promise<Self> {
  const { user, session } = requireSession(ctx);
  const { version = user.version, ...fields } = input;
  // Nothing to change: a new version would make another window's change stale.
  if (Object.keys(fields).length === 0 && version === user.version) return readSelf(ctx);
  const emailKey = input.email ? userNameKey(input.email) : input.email;
  const isNewEmail = Boolean(emailKey) && emailKey !== user.emailKey;
  if (isNewEmail) await takeAttempt(ctx, "email", "loginAttemptsPerMinute");
  if (isNewEmail && user.role === "member" && (await readSettings(ctx.store)).self_registration) {
    const message =
      "Self-registration is on, so only administrators set e-mail addresses. Ask one to set yours.";
    throw new AppError("forbidden", message, { issues: [{ path: "email", message }] });
  }
  return ctx.store.transaction(async (tx) => {
    await requireFreeNames(tx, { email: emailKey }, user.id);
    const changed = await tx.users.update(
      { id: user.id, version },
      { displayName: input.display_name, email: input.email, emailKey, locale: input.locale },
    );
    if (changed === null)
      throw new AppError("conflict", "Your profile was changed by another request. Load it again.");
    await recordAudit(tx, ctx, {
      action: "user.update_self",
      target: user.id,
      detail: { fields: Object.keys(fields) },
    });
    return toSelf(changed, session, await hasTwoFactor(tx, user.id));
  });
}

/** The signed-in user. */
export async function readSelf(ctx: ConsoleContext): Promise<Self> {
  const { user, session } = requireSession(ctx);
  return toSelf(user, session, await hasTwoFactor(ctx.store, user.id));
}

/** Time zone offsets are multiples of 15 minutes, so a day never begins within one. */
const QUARTER_MS = 900_000;
/** Longer than any day or month, including a change of daylight-saving time. */
const MAX_PERIOD_MS = { day: 26 * HOUR_MS, month: 32 * DAY_MS } as const;

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
