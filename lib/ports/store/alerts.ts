import type { Page } from "./common";

export type AlertKind =
  | "channel_open"
  | "error_rate"
  | "budget_nearly_spent"
  | "budget_spent"
  | "disk"
  | "second_server";

export interface AlertRecord {
  id: string;
  kind: AlertKind;
  /** What it is about: a channel, a budget (`key_…:daily`); empty: the instance. At most one of a kind is open for each. */
  subject: string;
  /** Figures and names as they were last seen. */
  detail: Record<string, unknown>;
  openedAt: number;
  /** When an instance last saw that it goes on. */
  heldAt: number;
  resolvedAt: number | null;
  seenAt: number | null;
  /** Of the newest of its two messages, opened and resolved. `none`: there was nowhere to send it. */
  delivery: "none" | "pending" | "delivered" | "failed";
  deliveryAttempts: number;
  /** When it is tried next, or a try under way counts as lost. */
  deliveryDueAt: number | null;
  /** Why the last try failed: `status_500`, `timeout`, `address_refused`, … */
  deliveryError: string | null;
  /** When it was delivered, or last tried. */
  deliveryAt: number | null;
}

/** What somebody has spent of a budget. */
export interface BudgetShare {
  owner: "key" | "user";
  id: string;
  name: string;
  period: "total" | "daily" | "monthly";
  spentNano: number;
  limitNano: number;
}

export interface Alerts {
  /** False when one of that kind and subject is open already. */
  raise(
    alert: Pick<AlertRecord, "id" | "kind" | "subject" | "detail" | "openedAt" | "delivery">,
  ): Promise<boolean>;
  /** An open one goes on. */
  hold(id: string, heldAt: number, detail: Record<string, unknown>): Promise<void>;
  /** False when it was resolved already. */
  resolve(id: string, at: number, delivery: AlertRecord["delivery"]): Promise<boolean>;
  open(): Promise<AlertRecord[]>;
  find(id: string): Promise<AlertRecord | null>;
  /** Open ones first, then newest first. */
  list(query: { limit: number; cursor: string | null; isOpen: boolean | null }): Promise<Page<AlertRecord>>;
  markSeen(id: string, at: number): Promise<AlertRecord | null>;
  /**
   * Messages that are due, those about budgets last; each counts as tried, and is due again for others after
   * `leaseMs`. At most `atOnce`, and fewer where all instances together have tried `perMinute` in the last minute.
   */
  claimDeliveries(
    now: number,
    leaseMs: number,
    most: { atOnce: number; perMinute: number },
  ): Promise<AlertRecord[]>;
  /** What became of a claimed one; false when it has another message to send meanwhile. */
  finishDelivery(
    claimed: Pick<AlertRecord, "id" | "resolvedAt" | "deliveryAttempts">,
    outcome: Pick<AlertRecord, "delivery" | "deliveryDueAt" | "deliveryError" | "deliveryAt">,
  ): Promise<boolean>;
  /** Removes at most `limit` that were over before an instant; how many it were. */
  deleteResolved(before: number, limit: number): Promise<number>;
  /** Budgets of which at least `percent` are spent, of keys and users that may call. */
  budgetsAbove(percent: number, now: number): Promise<BudgetShare[]>;
  /** Calls that began at `since` or later, and how many of them failed by our or an upstream's fault. */
  callsSince(since: number): Promise<{ calls: number; failures: number }>;
}
