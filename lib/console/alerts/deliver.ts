import type { WebhookMessage } from "../../contracts/console/alerts";
import { MINUTE_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import type { AlertRecord } from "../../ports/store";
import type { WebhookFailure } from "../../ports/webhook";
import type { ConsoleServices } from "../context";
import { toAlert } from "./to-alert";
import { openWebhookSecret, signMessage } from "./webhook-secret";
import { openWebhookUrl } from "./webhook-url";

export type DeliveryServices = Pick<ConsoleServices, "store" | "clock" | "cipher" | "webhook" | "log">;

const TIMEOUT_MS = 10_000;
/** A try that has not ended by then was cut off with its process. */
const LEASE_MS = 60_000;
/**
 * Messages of one look, and of all looks in a minute: receivers refuse floods, and people who get one read nothing.
 * What is over goes out later, in its turn.
 */
const MOST = { atOnce: 10, perMinute: 30 } as const;
/** Waits after the first, second, … failure; after the last the message is given up. */
export const BACKOFF_MS: readonly number[] = [
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  60 * MINUTE_MS,
  3 * 60 * MINUTE_MS,
  6 * 60 * MINUTE_MS,
];

/** Signs one message and posts it; null when it was taken. */
export async function postMessage(
  { clock, webhook }: Pick<ConsoleServices, "clock" | "webhook">,
  url: string,
  secret: string,
  message: WebhookMessage,
): Promise<WebhookFailure | null> {
  // What is signed are the bytes that leave: both are this value as JSON.stringify writes it.
  const signature = signMessage(secret, clock.now(), JSON.stringify(message));
  return webhook.post({
    url,
    headers: { "x-patchbay-signature": signature },
    body: message,
    timeoutMs: TIMEOUT_MS,
  });
}

function messageOf(record: AlertRecord): WebhookMessage {
  const { id, kind, subject, subject_name, state, message, detail, opened_at, resolved_at } = toAlert(record);
  const at = toTimestamp(record.resolvedAt ?? record.openedAt);
  return { id, kind, subject, subject_name, state, at, message, detail, opened_at, resolved_at };
}

async function deliver(
  services: DeliveryServices,
  target: { url: string; secret: string | null } | null,
  claimed: AlertRecord,
): Promise<void> {
  const { store, clock, log } = services;
  if (target === null) {
    const outcome = { delivery: "none", deliveryDueAt: null, deliveryError: null, deliveryAt: null } as const;
    await store.alerts.finishDelivery(claimed, outcome);
    return;
  }
  const error =
    target.secret === null
      ? "no_secret"
      : await postMessage(services, target.url, target.secret, messageOf(claimed));
  const at = clock.now();
  const waitMs = BACKOFF_MS[claimed.deliveryAttempts - 1];
  const isLast = waitMs === undefined;
  if (error !== null) log.warn("webhook_failed", { code: error, attempts: claimed.deliveryAttempts });
  await store.alerts.finishDelivery(claimed, {
    delivery: error === null ? "delivered" : isLast ? "failed" : "pending",
    deliveryDueAt: error === null || isLast ? null : at + waitMs,
    deliveryError: error,
    deliveryAt: at,
  });
}

/**
 * Sends the messages that are due. Of several instances one claims each; what a process that died had claimed is due
 * again a minute later.
 */
export async function deliverAlerts(services: DeliveryServices): Promise<void> {
  const { store, clock } = services;
  const claimed = await store.alerts.claimDeliveries(clock.now(), LEASE_MS, MOST);
  if (claimed.length === 0) return;
  const url = await openWebhookUrl(store, services.cipher);
  const target = url === null ? null : { url, secret: await openWebhookSecret(services) };
  await Promise.all(claimed.map((record) => deliver(services, target, record)));
}
