import type { Alert, SnoozeAlert } from "../../contracts/console/alerts";
import { MINUTE_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { requireSignedInOperator } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { toAlert } from "./to-alert";
import { hasWebhook } from "./webhook-url";

const HOUR_MS = 60 * MINUTE_MS;

const SNOOZE_MS = {
  "1h": HOUR_MS,
  "8h": 8 * HOUR_MS,
  "24h": 24 * HOUR_MS,
  resolved: null,
} as const satisfies Record<SnoozeAlert["for"], number | null>;

const notOpen = () => new AppError("not_found", "Open alert not found.");

/**
 * Sends nothing about an open alert for a time; a new alert of the same kind and subject within that time is snoozed
 * too. Throws `forbidden`, `not_found` (no such open alert).
 */
export async function snoozeAlert(ctx: ConsoleContext, id: string, input: SnoozeAlert): Promise<Alert> {
  const user = await requireSignedInOperator(ctx);
  const lastsMs = SNOOZE_MS[input.for];
  const until = lastsMs === null ? null : ctx.clock.now() + lastsMs;
  const record = await ctx.store.transaction(async (tx) => {
    const snoozed = await tx.alerts.snooze(id, { by: user.username, until });
    if (snoozed === null) throw notOpen();
    const { kind, subject } = snoozed;
    const detail = { kind, subject, until: until === null ? null : toTimestamp(until) };
    await recordAudit(tx, ctx, { action: "alerts.snooze", target: id, detail });
    return snoozed;
  });
  return toAlert(record);
}

/** Ends a snooze: the alert is sent. Throws `forbidden`, `not_found` (no such open, snoozed alert). */
export async function endAlertSnooze(ctx: ConsoleContext, id: string): Promise<Alert> {
  await requireSignedInOperator(ctx);
  const record = await ctx.store.transaction(async (tx) => {
    const delivery = (await hasWebhook(tx)) ? "pending" : "none";
    const ended = await tx.alerts.endSnooze(id, ctx.clock.now(), delivery);
    if (ended === null) throw notOpen();
    const { kind, subject } = ended;
    await recordAudit(tx, ctx, { action: "alerts.snooze_end", target: id, detail: { kind, subject } });
    return ended;
  });
  return toAlert(record);
}
