import type { AlertRecord, AuditRecord } from "../../ports/store";
import { columnsOf, type Flag, type RowOf } from "../columns";

export interface SettingTable {
  name: string;
  value: string;
}

export const AUDIT = columnsOf<AuditRecord>()({
  seq: "seq",
  at: "at",
  actor: "actor",
  action: "action",
  target: "target",
  detail: { json: "detail" },
  previousHash: "previous_hash",
  hash: "hash",
});

export type AuditTable = RowOf<typeof AUDIT>;

/** One row: the newest audit row with an HMAC, so that rows cut off the end are noticed. */
export interface AuditHeadTable {
  id: number;
  seq: number;
  hash: string;
  mac: string;
}

export interface RevisionTable {
  topic: string;
  revision: number;
}

export interface InstanceTable {
  id: string;
  heartbeat_at: number;
  server: string | null;
  host: string | null;
  address: string | null;
  version: string | null;
  pid: number | null;
  started_at: number | null;
  draining: Flag | null;
  in_flight: number | null;
  requests_per_minute: number | null;
  cpu_percent: number | null;
  memory_bytes: number | null;
  change_lag_ms: number | null;
}

type CombinedField = "snooze" | "deliveryAt" | "deliveredTo" | "deliveryWebhook";

export const ALERT = columnsOf<Omit<AlertRecord, CombinedField>>()({
  id: "id",
  kind: "kind",
  subject: "subject",
  detail: { json: "detail" },
  openedAt: "opened_at",
  heldAt: "held_at",
  resolvedAt: "resolved_at",
  seenAt: "seen_at",
  delivery: "delivery",
  deliveryAttempts: "delivery_attempts",
  deliveryDueAt: "delivery_due_at",
  deliveryError: "delivery_error",
});

export interface AlertTable extends RowOf<typeof ALERT> {
  delivery_at: number | null;
  /** Names of webhooks with commas between. */
  delivered_to: string;
  delivery_webhook: string | null;
  snoozed_by: string | null;
  snoozed_until: number | null;
}

export interface RecordTables {
  settings: SettingTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  revisions: RevisionTable;
  instances: InstanceTable;
  alerts: AlertTable;
}
