import { z } from "zod";
import { Cursor, PAGE_SIZE, queryInteger } from "../paging";
import { Timestamp } from "../timestamp";

export const AlertKind = z.enum([
  "channel_open",
  "error_rate",
  "budget_nearly_spent",
  "budget_spent",
  "disk",
  "second_server",
]);
export type AlertKind = z.infer<typeof AlertKind>;

/** Why a message could not be delivered: `status_<n>`, or what lay under it. */
export const DeliveryError = z.string().meta({
  description:
    "status_<n>, timeout, redirect, no_secret, address_refused, name_unknown, connection_refused, connect_timeout, tls_failed, connection_lost, protocol_error or failed",
});

export const Alert = z.strictObject({
  id: z.string(),
  kind: AlertKind,
  /** Id of the channel, key or user it is about; empty: the instance. */
  subject: z.string(),
  /** What that is called. */
  subject_name: z.string().nullable(),
  state: z.enum(["opened", "resolved"]),
  /** One English sentence: what is wrong, or was. */
  message: z.string(),
  /** The figures behind it, as they were last seen. */
  detail: z.record(z.string(), z.unknown()),
  opened_at: Timestamp,
  resolved_at: Timestamp.nullable(),
  seen_at: Timestamp.nullable(),
  /** Of the newest of its two messages to the webhook. */
  delivery: z.strictObject({
    state: z.enum(["none", "pending", "delivered", "failed"]),
    attempts: z.int(),
    /** When it was delivered, or last tried. */
    at: Timestamp.nullable(),
    next_at: Timestamp.nullable(),
    error: DeliveryError.nullable(),
  }),
});
export type Alert = z.infer<typeof Alert>;

/** `GET /api/alerts`: open ones first, then newest first. */
export const AlertsQuery = z.strictObject({
  limit: queryInteger(1, 100, PAGE_SIZE),
  cursor: Cursor.optional(),
  state: z.enum(["opened", "resolved"]).optional(),
});
export type AlertsQuery = z.output<typeof AlertsQuery>;

/** `GET /api/alerts/summary`. */
export const AlertsSummary = z.strictObject({
  open: z.int(),
  /** Open and not marked as seen. */
  unseen: z.int(),
  webhook_secret: z.strictObject({ made: z.boolean() }),
});
export type AlertsSummary = z.infer<typeof AlertsSummary>;

export const WebhookSecret = z.strictObject({ secret: z.string() });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** `POST /api/alerts/webhook/test`: what became of one message. */
export const WebhookTest = z.strictObject({
  ok: z.boolean(),
  error: DeliveryError.nullable(),
  latency_ms: z.int(),
});
export type WebhookTest = z.infer<typeof WebhookTest>;

/** What is posted to the webhook. `id` and `state` together name one message: it may come more than once. */
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
