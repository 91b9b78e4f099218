import type { Flag } from "../columns";

export interface SettingTable {
  name: string;
  value: string;
}

export interface AuditTable {
  seq: number;
  at: number;
  actor: string;
  action: string;
  target: string;
  detail: string;
  previous_hash: string;
  hash: string;
}

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

export interface AlertTable {
  id: string;
  kind: string;
  subject: string;
  detail: string;
  opened_at: number;
  held_at: number;
  resolved_at: number | null;
  seen_at: number | null;
  delivery: string;
  delivery_attempts: number;
  delivery_due_at: number | null;
  delivery_error: string | null;
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
