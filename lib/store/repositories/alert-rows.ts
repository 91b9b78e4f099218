import type { AlertRecord, WebhookKind } from "../../ports/store";
import { ALERT, type AlertTable } from "../schema/records";

const WEBHOOK_KINDS: readonly WebhookKind[] = ["signed", "slack"];

export function toAlertRecord(row: AlertTable): AlertRecord {
  return {
    ...ALERT.toRecord(row),
    snooze: row.snoozed_by === null ? null : { by: row.snoozed_by, until: row.snoozed_until },
    // Before the first attempt of a message, the column has the time of the previous message.
    deliveryAt: row.delivery_attempts === 0 ? null : row.delivery_at,
    deliveredTo: WEBHOOK_KINDS.filter((kind) => row.delivered_to.split(",").includes(kind)),
    deliveryWebhook: WEBHOOK_KINDS.find((kind) => kind === row.delivery_webhook) ?? null,
  };
}

/**
 * The delivery columns of a new message; `delivery_at` is not set, and keeps when the alert's previous one was sent.
 */
export const newDelivery = (delivery: AlertRecord["delivery"], at: number) => ({
  delivery,
  delivery_attempts: 0,
  delivery_due_at: delivery === "pending" ? at : null,
  delivery_error: null,
  delivered_to: "",
  delivery_webhook: null,
});
