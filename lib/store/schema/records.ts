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
}
