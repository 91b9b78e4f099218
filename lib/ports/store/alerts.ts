import type { Page } from "./common";

export type AlertKind =
  | "channel_open"
  | "error_rate"
  | "budget_nearly_spent"
  | "budget_spent"
  | "disk"
  | "second_server"
  | "redis";

/** Where alerts are sent: signed JSON, or messages in Slack's form. */
export type WebhookKind = "signed" | "slack";

/** An operator's request to send nothing about an alert. */
interface AlertSnooze {
  /** The operator's user name. */
  by: string;
  /** Null: until the alert is resolved. */
  until: number | null;
}

export interface AlertRecord {
  id: string;
  kind: AlertKind;
  /**
   * The subject: a channel, a budget (`key_…:daily`), a model or key with a rule of its own (`model:tts-1`), or empty
   * for the instance. At most one alert per kind and subject is open.
   */
  subject: string;
  /** Figures and names as last observed. */
  detail: Record<string, unknown>;
  openedAt: number;
  /** When an instance last saw that the condition still holds. */
  heldAt: number;
  resolvedAt: number | null;
  seenAt: number | null;
  /** Null after an operator has ended it or it has expired. A resolved alert keeps the snooze at its resolution. */
  snooze: AlertSnooze | null;
  /** Delivery of the latest message (opened or resolved). `none`: no webhook was configured. */
  delivery: "none" | "pending" | "delivered" | "failed" | "snoozed";
  /** The webhooks that have accepted this message: a repeat is sent to the others only. */
  deliveredTo: readonly WebhookKind[];
  /** The webhook that `deliveryError` is about. */
  deliveryWebhook: WebhookKind | null;
  deliveryAttempts: number;
  /** When it is sent next, or when a running attempt counts as lost. */
  deliveryDueAt: number | null;
  /** Why the last attempt failed: `status_500`, `timeout`, `address_refused`, … */
  deliveryError: string | null;
  /** When it was delivered or last attempted; null without an attempt. */
  deliveryAt: number | null;
}

export interface BudgetShare {
  owner: "key" | "user";
  id: string;
  name: string;
  period: "total" | "daily" | "monthly";
  spentNano: number;
  limitNano: number;
}

export interface CallCounts {
  calls: number;
  failures: number;
}

export interface Alerts {
  /**
   * False when an alert of that kind and subject is already open. A snooze of the previous one that is not over applies
   * to the new one.
   */
  raise(
    alert: Pick<AlertRecord, "id" | "kind" | "subject" | "detail" | "openedAt" | "delivery">,
  ): Promise<boolean>;
  /** Records that an open alert's condition still holds. */
  hold(id: string, heldAt: number, detail: Record<string, unknown>): Promise<void>;
  /**
   * False when it was already resolved, or held again after it was read. Keeps the `detail` that is given. No message
   * of a snoozed alert is sent.
   */
  resolve(
    read: Pick<AlertRecord, "id" | "heldAt" | "detail">,
    at: number,
    delivery: AlertRecord["delivery"],
  ): Promise<boolean>;
  open(): Promise<AlertRecord[]>;
  /** A budget that is spent was nearly spent before: both alerts count as one. */
  countOpen(): Promise<{ open: number; unseen: number }>;
  find(id: string): Promise<AlertRecord | null>;
  /** Open alerts first, then newest first. */
  list(query: { limit: number; cursor: string | null; isOpen: boolean | null }): Promise<Page<AlertRecord>>;
  markSeen(id: string, at: number): Promise<AlertRecord | null>;
  /** Sends nothing about an open alert from now on; null when it is not open. */
  snooze(id: string, snooze: AlertSnooze): Promise<AlertRecord | null>;
  /** Ends a snooze and sends the alert again; null when it is not open or not snoozed. */
  endSnooze(id: string, at: number, delivery: AlertRecord["delivery"]): Promise<AlertRecord | null>;
  /**
   * Messages that are due, those about budgets last; each counts as attempted, and is due again for other instances
   * after `leaseMs`. At most `atOnce`, and so few that all instances together send the messages of at most `perMinute`
   * alerts within a minute.
   */
  claimDeliveries(
    now: number,
    leaseMs: number,
    max: { atOnce: number; perMinute: number },
  ): Promise<AlertRecord[]>;
  /** Records the result of a message; false when the alert has got a newer message in the meantime. */
  finishDelivery(
    claimed: Pick<AlertRecord, "id" | "resolvedAt" | "deliveryAttempts">,
    outcome: Pick<
      AlertRecord,
      "delivery" | "deliveryDueAt" | "deliveryError" | "deliveryAt" | "deliveredTo" | "deliveryWebhook"
    >,
  ): Promise<boolean>;
  /** Removes at most `limit` alerts that were resolved before a time; returns how many. */
  deleteResolved(before: number, limit: number): Promise<number>;
  /** Budgets of which at least `percent` is spent, of enabled keys and users. */
  budgetsAbove(percent: number, now: number): Promise<BudgetShare[]>;
  /**
   * Settled calls that arrived since `since`, and how many of them failed because of Patchbay or an upstream. Leaves
   * out calls with an arrival time more than a minute after `now`. A call that takes longer than the window is never
   * counted, because it is settled after its arrival time has left the window.
   */
  callsSince(since: number, now: number): Promise<CallCounts>;
  /** The same for each of these models, or API keys by ID; those without calls are left out. */
  callsBy(
    scope: "model" | "key",
    subjects: readonly string[],
    since: number,
    now: number,
  ): Promise<ReadonlyMap<string, CallCounts>>;
}
