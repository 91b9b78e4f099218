import type { WebhookMessage } from "../../contracts/console/alerts";
import { MINUTE_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import type { AlertRecord } from "../../ports/store";
import type { WebhookFailure } from "../../ports/webhook";
import type { ConsoleServices } from "../context";
import { toAlert } from "./to-alert";
import { decryptWebhookSecret, signMessage } from "./webhook-secret";
import { decryptWebhookUrl } from "./webhook-url";

type DeliveryServices = Pick<ConsoleServices, "store" | "clock" | "cipher" | "webhook" | "log">;

const TIMEOUT_MS = 10_000;
/** An attempt that has not ended by then was cut off when its process died. */
const LEASE_MS = 60_000;
/**
 * Most messages of one run, and of all runs within a minute: receivers reject floods. The rest is sent by later runs.
 */
const MOST = { atOnce: 10, perMinute: 30 } as const;
/** Delays after the first, second, … failure; after the last one the message is given up. */
export const BACKOFF_MS: readonly number[] = [
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  60 * MINUTE_MS,
  3 * 60 * MINUTE_MS,
  6 * 60 * MINUTE_MS,
];

/** Signs one message and posts it; null when it was accepted. */
export async function postMessage(
  { clock, webhook }: Pick<ConsoleServices, "clock" | "webhook">,
  url: string,
  secret: string,
  message: WebhookMessage,
): Promise<WebhookFailure | null> {
  // The signed bytes are the sent bytes: both are this value as JSON.stringify writes it.
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
 * Sends the messages that are due. Each is claimed by one instance; a claim of a process that died expires after a
 * minute.
 */
export async function deliverAlerts(services: DeliveryServices): Promise<void> {
  const { store, clock } = services;
  const claimed = await store.alerts.claimDeliveries(clock.now(), LEASE_MS, MOST);
  if (claimed.length === 0) return;
  const url = await decryptWebhookUrl(store, services.cipher);
  const target = url === null ? null : { url, secret: await decryptWebhookSecret(services) };
  await Promise.all(claimed.map((record) => deliver(services, target, record)));
}
