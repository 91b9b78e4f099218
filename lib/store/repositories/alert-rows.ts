import type { AlertRecord, WebhookKind } from "../../ports/store";
import { fromJson } from "../columns";
import type { AlertTable } from "../schema";

const WEBHOOK_KINDS: readonly WebhookKind[] = ["signed", "slack"];

export function toAlertRecord(row: AlertTable): AlertRecord {
  return {
    id: row.id,
    // The row is written from an AlertRecord only.
    kind: row.kind as AlertRecord["kind"],
    subject: row.subject,
    detail: fromJson<Record<string, unknown>>(row.detail),
    openedAt: row.opened_at,
    heldAt: row.held_at,
    resolvedAt: row.resolved_at,
    seenAt: row.seen_at,
    snooze: row.snoozed_by === null ? null : { by: row.snoozed_by, until: row.snoozed_until },
    delivery: row.delivery as AlertRecord["delivery"],
    deliveryAttempts: row.delivery_attempts,
    deliveryDueAt: row.delivery_due_at,
    deliveryError: row.delivery_error,
    // Without an attempt it is the time of the message before.
    deliveryAt: row.delivery_attempts === 0 ? null : row.delivery_at,
    deliveredTo: WEBHOOK_KINDS.filter((kind) => row.delivered_to.split(",").includes(kind)),
    deliveryWebhook: WEBHOOK_KINDS.find((kind) => kind === row.delivery_webhook) ?? null,
  };
}

/** The delivery columns of a message without an attempt; `delivery_at` keeps when the alert's last one was sent. */
export const newDelivery = (delivery: AlertRecord["delivery"], at: number) => ({
  delivery,
  delivery_attempts: 0,
  delivery_due_at: delivery === "pending" ? at : null,
  delivery_error: null,
  delivered_to: "",
  delivery_webhook: null,
});
