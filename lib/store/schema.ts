/**
 * The tables as queries see them. Both databases hold the same: whole numbers (`bigint`), text, and nothing else;
 * a flag is 0 or 1, JSON is text. So a row read from either is the same JavaScript object.
 */
export type Flag = 0 | 1;
export type Kind = "sqlite" | "postgres";

export interface SetupTable {
  id: number;
  claimed_at: number;
  owner_id: string;
}

interface BudgetColumns {
  budget_total: number | null;
  budget_daily: number | null;
  budget_monthly: number | null;
}

export interface UserTable extends BudgetColumns {
  id: string;
  username: string;
  username_key: string;
  display_name: string;
  email: string | null;
  email_key: string | null;
  role: string;
  enabled: Flag;
  password_hash: string;
  password_version: number;
  locale: string | null;
  created_at: number;
  /** When a session of theirs was last used; outlives the session. */
  last_seen_at: number | null;
  version: number;
}

export interface TwoFactorTable {
  user_id: string;
  enrolment_id: string;
  secret_sealed: string;
  state: string;
  last_step: number;
  failures: number;
  locks: number;
  locked_until: number | null;
  created_at: number;
}

export interface BackupCodeTable {
  user_id: string;
  digest: string;
}

export interface SessionTable {
  id: string;
  user_id: string;
  authenticated_at: number;
  last_seen_at: number;
  expires_at: number;
  device: string;
  address: string;
  method: string;
  password_version: number;
}

export interface FlowTable {
  digest: string;
  kind: string;
  user_id: string;
  password_version: number;
  enrolment_id: string | null;
  attempts_left: number;
  expires_at: number;
}

export interface LoginThrottleTable {
  name_digest: string;
  failures: number;
  delayed_until: number | null;
  updated_at: number;
}

export interface KeyTable extends BudgetColumns {
  id: string;
  digest: string;
  display: string;
  name: string;
  owner_id: string;
  kind: string;
  session_id: string | null;
  enabled: Flag;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  operations: string;
  allowed_models: string;
  allowed_addresses: string;
  rpm: number | null;
  tpm: number | null;
  concurrency: number | null;
  version: number;
}

export interface ChannelTable {
  id: string;
  name: string;
  provider: string;
  base_url: string | null;
  keys: string;
  models: string;
  priority: number;
  weight: number;
  rpm: number | null;
  concurrency: number | null;
  timeouts: string;
  headers: string;
  options: string;
  enabled: Flag;
  embedded: Flag;
  created_at: number;
  version: number;
}

export interface ModelTable {
  name: string;
  aliases: string;
  operation: string;
  description: string;
  prices: string;
  max_characters: number | null;
  max_audio_seconds: number | null;
  dimensions: number | null;
  can_shorten: Flag;
  max_input_tokens: number | null;
  default_voice: string | null;
  cacheable: Flag;
  coalescing: Flag;
  enabled: Flag;
  created_at: number;
  version: number;
}

/** Every name a model answers to, its own among them: what keeps names and aliases apart. */
export interface ModelNameTable {
  name: string;
  model: string;
}

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

export interface RevisionTable {
  topic: string;
  revision: number;
}

export interface InstanceTable {
  id: string;
  heartbeat_at: number;
}

export interface UsageTable {
  id: string;
  request_id: string;
  at: number;
  key_id: string;
  user_id: string;
  model: string;
  channel_id: string | null;
  operation: string;
  attempts: number;
  input_tokens: number;
  output_tokens: number;
  characters: number;
  audio_ms: number;
  cost_nano: number;
  reserved_nano: number;
  status: number;
  error: string | null;
  state: string;
  cached: Flag;
  estimated: Flag;
  overrun: Flag;
  end_user: string | null;
  tags: string | null;
  latency_ms: number;
  first_byte_ms: number | null;
  /** The instance that opened it. */
  owner: string;
  /** Period its reservation is held in. */
  day: string;
  month: string;
  /** JSON: what happened to each attempt. */
  trace: string | null;
}

/** The words of a call, kept only where the settings say so. */
export interface PromptTable {
  usage_id: string;
  at: number;
  input: string;
}

/** A link that makes an account, or a new password for one. */
export interface InviteTable {
  id: string;
  kind: string;
  digest: string;
  role: string;
  email: string | null;
  user_id: string | null;
  password_version: number | null;
  made_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
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

/** `period` is `total`, a day (`2026-11-20`) or a month (`2026-11`). */
export interface BalanceTable {
  subject_kind: string;
  subject_id: string;
  period: string;
  spent: number;
  reserved: number;
}

/** Sums of one hour (UTC); `latency_<n>` counts calls of at most that many milliseconds and over the bound before. */
export interface RollUpTable {
  hour: number;
  key_id: string;
  user_id: string;
  model: string;
  channel_id: string;
  operation: string;
  calls: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
  characters: number;
  audio_ms: number;
  cost_nano: number;
  latency_sum_ms: number;
  first_byte_sum_ms: number;
  first_byte_calls: number;
}

export interface Tables {
  setup: SetupTable;
  users: UserTable;
  two_factors: TwoFactorTable;
  backup_codes: BackupCodeTable;
  sessions: SessionTable;
  flows: FlowTable;
  login_throttles: LoginThrottleTable;
  keys: KeyTable;
  channels: ChannelTable;
  models: ModelTable;
  model_names: ModelNameTable;
  settings: SettingTable;
  audit: AuditTable;
  revisions: RevisionTable;
  instances: InstanceTable;
  usage: UsageTable;
  balances: BalanceTable;
  rollups: RollUpTable;
  /** The same sums by day (UTC): `hour` is its first. */
  daily_rollups: RollUpTable;
  prompts: PromptTable;
  invites: InviteTable;
  alerts: AlertTable;
}
