import type { Alert, AlertsQuery, AlertsSummary, SnoozeAlert } from "../../contracts/console/alerts";
import { DAY_MS, HOUR_MS } from "../../contracts/durations";
import type { ListPage } from "../../contracts/paging";
import { timestampOrNull } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { requireSignedInAdmin, requireSignedInOperator } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext, ReadContext } from "../context";
import { toAlert } from "./to-alert";
import { encryptedWebhookSecret, hasWebhook } from "./webhook-credentials";

/** Alerts, open ones first, then newest first; for administrators. */
export async function listAlerts(ctx: ReadContext, query: AlertsQuery): Promise<ListPage<Alert>> {
  requireSignedInAdmin(ctx);
  const page = await ctx.store.alerts.list({
    limit: query.limit,
    cursor: query.cursor ?? null,
    isOpen: query.state === undefined ? null : query.state === "opened",
  });
  return { items: page.items.map(toAlert), next_cursor: page.nextCursor };
}

/** How many alerts are open and unseen, and whether messages can be signed; for administrators. */
export async function summarizeAlerts(ctx: ReadContext): Promise<AlertsSummary> {
  requireSignedInAdmin(ctx);
  return {
    ...(await ctx.store.alerts.countOpen()),
    webhook_secret: { made: (await encryptedWebhookSecret(ctx.store)) !== null },
  };
}

/** Marks an alert as seen, for all users. Throws `not_found`. */
export async function markAlertSeen(ctx: ConsoleContext, id: string): Promise<Alert> {
  requireSignedInAdmin(ctx);
  const record = await ctx.store.alerts.markSeen(id, ctx.clock.now());
  if (record === null) throw new AppError("not_found", "Alert not found.");
  return toAlert(record);
}

const SNOOZE_MS = {
  "1h": HOUR_MS,
  "8h": 8 * HOUR_MS,
  "24h": DAY_MS,
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
    const detail = { kind, subject, until: timestampOrNull(until) };
    await recordAudit(tx, ctx, { action: "alerts.snooze", target: id, detail });
    return snoozed;
  });
  return toAlert(record);
}

/** Ends a snooze and sends the alert. Throws `forbidden`, `not_found` (no such open, snoozed alert). */
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
