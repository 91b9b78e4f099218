import { z } from "zod";
import { Cursor, limitWithDefault, PAGE_SIZE } from "../paging";
import { Timestamp } from "../timestamp";
import { UpstreamFailure } from "./channels";

const AlertKind = z.enum([
  "channel_open",
  "error_rate",
  "budget_nearly_spent",
  "budget_spent",
  "disk",
  "second_server",
  "redis",
]);

/** `signed`: JSON with a signature. `slack`: Slack's format, which other chat tools accept, too. */
export const WebhookKind = z.enum(["signed", "slack"]);
export type WebhookKind = z.infer<typeof WebhookKind>;

/** Why a message was not delivered: `status_<n>`, or the network error. */
const DeliveryError = z.string().meta({
  description:
    "status_<n>, timeout, redirect, no_secret, undecryptable, address_refused, name_unknown, connection_refused, connect_timeout, tls_failed, connection_lost, protocol_error or failed",
});

/** Models with the same fallback channels while a channel is down. */
export const Fallback = z.strictObject({
  models: z.array(z.string()),
  /** Names of the channels that serve their requests now; may be empty. */
  channels: z.array(z.string()),
  /**
   * Meaningful only when `channels` is empty. True: a half-open circuit lets one probe through at a time; false: all
   * requests fail.
   */
  recovering: z.boolean(),
});
export type Fallback = z.infer<typeof Fallback>;

export const Alert = z.strictObject({
  id: z.string(),
  kind: AlertKind,
  /** ID of the channel, key or user, or name of the model, that the alert is about; empty for the instance. */
  subject: z.string(),
  subject_name: z.string().nullable(),
  state: z.enum(["opened", "resolved"]),
  /** One English sentence that describes the problem. */
  message: z.string(),
  /** Measured values, as of the last check. For `channel_open`, `fallbacks` is a list of `Fallback`. */
  detail: z.record(z.string(), z.unknown()),
  opened_at: Timestamp,
  resolved_at: Timestamp.nullable(),
  seen_at: Timestamp.nullable(),
  /** Null: not snoozed. Nothing is sent for a snoozed alert. */
  snooze: z
    .strictObject({
      /** User name of the operator. */
      by: z.string(),
      /** Null: until the alert is resolved. */
      until: Timestamp.nullable(),
    })
    .nullable(),
  /** Delivery of the latest message (opened or resolved) to the webhooks. `snoozed`: not sent. */
  delivery: z.strictObject({
    state: z.enum(["none", "pending", "delivered", "failed", "snoozed"]),
    attempts: z.int(),
    /** Time of delivery, or of the last attempt. */
    at: Timestamp.nullable(),
    next_at: Timestamp.nullable(),
    error: DeliveryError.nullable(),
    /** The webhook that `error` is about. */
    webhook: WebhookKind.nullable(),
  }),
});
export type Alert = z.infer<typeof Alert>;

/** `GET /api/alerts`: open ones first, then newest first. */
export const AlertsQuery = z.strictObject({
  limit: limitWithDefault(PAGE_SIZE),
  cursor: Cursor.optional(),
  state: z.enum(["opened", "resolved"]).optional(),
});
export type AlertsQuery = z.output<typeof AlertsQuery>;

/**
 * `POST /api/alerts/{id}/check`: the probes that were sent. Empty when there was nothing to probe: the alert is not
 * about a channel, its circuits are open and not due for a probe, or a probe is running.
 */
export const AlertCheck = z.strictObject({
  probes: z.array(z.strictObject({ model: z.string(), ok: z.boolean(), error: UpstreamFailure.nullable() })),
});
export type AlertCheck = z.infer<typeof AlertCheck>;

export const AlertsSummary = z.strictObject({
  open: z.int(),
  /** Open and not marked as seen. */
  unseen: z.int(),
  webhook_secret: z.strictObject({ made: z.boolean() }),
});
export type AlertsSummary = z.infer<typeof AlertsSummary>;

export const WebhookSecret = z.strictObject({ secret: z.string() });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** `POST /api/alerts/{id}/snooze`: how long nothing is sent; `resolved`: until the alert is resolved. */
export const SnoozeAlert = z.strictObject({ for: z.enum(["1h", "8h", "24h", "resolved"]) });
export type SnoozeAlert = z.infer<typeof SnoozeAlert>;

/** `POST /api/alerts/webhook/test`: the webhook to test; absent: the signed one. */
export const TestWebhook = z.strictObject({ kind: WebhookKind.optional() });
export type TestWebhook = z.infer<typeof TestWebhook>;

/** `POST /api/alerts/webhook/test`: the outcome of one message. */
export const WebhookTest = z.strictObject({
  ok: z.boolean(),
  error: DeliveryError.nullable(),
  latency_ms: z.int(),
});
export type WebhookTest = z.infer<typeof WebhookTest>;

/**
 * The body posted to the signed webhook. `id` and `state` together identify a message, which may arrive more than once.
 */
export const WebhookMessage = Alert.pick({
  id: true,
  subject: true,
  subject_name: true,
  state: true,
  message: true,
  detail: true,
  opened_at: true,
  resolved_at: true,
}).extend({ kind: z.enum([...AlertKind.options, "test"]), at: Timestamp });
export type WebhookMessage = z.infer<typeof WebhookMessage>;
