import type { Alert, AlertsQuery, AlertsSummary } from "../../contracts/console/alerts";
import type { ListPage } from "../../contracts/paging";
import { AppError } from "../../errors";
import { requireSignedInAdmin } from "../access/guards";
import type { ConsoleContext, ReadContext } from "../context";
import { toAlert } from "./to-alert";
import { encryptedWebhookSecret } from "./webhook-secret";

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

/** How many are open, and whether messages can be signed; for administrators. */
export async function summarizeAlerts(ctx: ReadContext): Promise<AlertsSummary> {
  requireSignedInAdmin(ctx);
  const all = await ctx.store.alerts.open();
  const spent = new Set(all.filter((one) => one.kind === "budget_spent").map((one) => one.subject));
  // A spent budget was nearly spent before: both alerts count as one.
  const open = all.filter((one) => one.kind !== "budget_nearly_spent" || !spent.has(one.subject));
  return {
    open: open.length,
    unseen: open.filter((alert) => alert.seenAt === null).length,
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
