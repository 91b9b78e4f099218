import type { RejectionRecord, UsageRecord } from "../../ports/store";
import { columnsOf, type RowOf } from "../columns";

export const USAGE = columnsOf<Omit<UsageRecord, "trace">>()({
  id: "id",
  requestId: "request_id",
  at: "at",
  keyId: "key_id",
  userId: "user_id",
  model: "model",
  channelId: "channel_id",
  operation: "operation",
  attempts: "attempts",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  characters: "characters",
  audioMs: "audio_ms",
  costNano: "cost_nano",
  reservedNano: "reserved_nano",
  status: "status",
  error: "error",
  state: "state",
  cached: { flag: "cached" },
  estimated: { flag: "estimated" },
  overrun: { flag: "overrun" },
  endUser: "end_user",
  tags: "tags",
  latencyMs: "latency_ms",
  firstByteMs: "first_byte_ms",
});

export interface UsageTable extends RowOf<typeof USAGE> {
  /** The instance that opened it. */
  owner: string;
  /** The budget periods that its reservation and its cost count for. */
  day: string;
  month: string;
  /** JSON: the trace of the call's attempts. */
  trace: string | null;
}

export const REJECTION = columnsOf<RejectionRecord>()({
  minute: "minute",
  keyId: "key_id",
  userId: "user_id",
  model: "model",
  error: "error",
  limit: "limit_hit",
  calls: "calls",
  at: "at",
  requestId: "request_id",
  status: "status",
  message: "message",
  retryAfterS: "retry_after_s",
  address: "address",
});

export interface RejectionTable extends RowOf<typeof REJECTION> {
  /** Digest of the fields by which the requests are grouped. */
  id: string;
}

/** Failed attempts on one channel in one minute, of calls that ended on another channel or on none. */
export interface FailoverTable {
  minute: number;
  model: string;
  channel_id: string;
  attempts: number;
}

/** The input text of a call; stored only while the settings say so. */
export interface PromptTable {
  usage_id: string;
  at: number;
  input: string;
}

/** `period` is `total`, a day (`2026-11-20`) or a month (`2026-11`). */
export interface BalanceTable {
  subject_kind: string;
  subject_id: string;
  period: string;
  spent: number;
  reserved: number;
}

/** Sums of one hour (UTC); `latency_<n>` counts calls above the previous bound and up to that many milliseconds. */
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

export interface LedgerTables {
  usage: UsageTable;
  balances: BalanceTable;
  rollups: RollUpTable;
  /** The same sums by day (UTC): `hour` is the first of the day. */
  daily_rollups: RollUpTable;
  failovers: FailoverTable;
  prompts: PromptTable;
  rejections: RejectionTable;
}
