import { AppError } from "../../errors";
import type { BillingPeriod } from "../../ports/billing-period";
import type { UsageRecord } from "../../ports/store";
import { storable } from "../columns";
import type { UsageTable } from "../schema";
import { encodeTrace } from "./trace";

/** Values that both databases take as parameters without conversion. */
export type Cell = string | number | null;

/**
 * The order of the cells of a ledger entry on its way to the writer; checks the result of `toCells` at compile time.
 */
export const USAGE_COLUMNS = [
  "id",
  "request_id",
  "at",
  "key_id",
  "user_id",
  "model",
  "channel_id",
  "operation",
  "attempts",
  "input_tokens",
  "output_tokens",
  "characters",
  "audio_ms",
  "cost_nano",
  "reserved_nano",
  "status",
  "error",
  "state",
  "cached",
  "estimated",
  "overrun",
  "end_user",
  "tags",
  "latency_ms",
  "first_byte_ms",
  "owner",
  "day",
  "month",
  "trace",
] as const satisfies readonly (keyof UsageTable)[];

export type UsageColumn = (typeof USAGE_COLUMNS)[number];
/** One cell for each column, in order: a missing cell, or one of another type, does not compile. */
type CellsOf<Columns extends readonly UsageColumn[]> = {
  -readonly [At in keyof Columns]: UsageTable[Columns[At]];
};

/** The columns that lists read: all except the trace. */
export const LISTED_COLUMNS = USAGE_COLUMNS.filter(
  (column): column is Exclude<typeof column, "trace"> => column !== "trace",
);

/** The columns that are fixed when the entry is opened. */
const FIXED_COLUMNS: readonly UsageColumn[] = [
  "id",
  "request_id",
  "at",
  "key_id",
  "user_id",
  "operation",
  "reserved_nano",
  "owner",
  "day",
  "month",
];

/** The columns that settling overwrites. */
export const SETTLED_COLUMNS = USAGE_COLUMNS.filter((column) => !FIXED_COLUMNS.includes(column));

/** Rounds fractions of a millisecond. NaN is rejected: it would turn the sums into NaN permanently. */
function whole(value: number, column: string): number {
  const rounded = Math.round(value);
  if (!Number.isSafeInteger(rounded))
    throw new AppError("internal", `A usage row's ${column} is not a number.`);
  return rounded;
}

function textOrNull(value: string | null): string | null {
  return value === null ? null : storable(value);
}

/** A record as cells in the order of `USAGE_COLUMNS`. Throws AppError `internal` for NaN and infinite numbers. */
export function toCells(
  row: UsageRecord,
  state: "open" | "settled",
  owner: string,
  periods: BillingPeriod,
): CellsOf<typeof USAGE_COLUMNS> {
  return [
    row.id,
    storable(row.requestId),
    whole(row.at, "at"),
    row.keyId,
    row.userId,
    storable(row.model),
    row.channelId,
    row.operation,
    whole(row.attempts, "attempts"),
    whole(row.inputTokens, "input tokens"),
    whole(row.outputTokens, "output tokens"),
    whole(row.characters, "characters"),
    whole(row.audioMs, "audio"),
    whole(row.costNano, "cost"),
    whole(row.reservedNano, "reservation"),
    whole(row.status, "status"),
    textOrNull(row.error),
    state,
    row.cached ? 1 : 0,
    row.estimated ? 1 : 0,
    row.overrun ? 1 : 0,
    textOrNull(row.endUser),
    textOrNull(row.tags),
    whole(row.latencyMs, "latency"),
    row.firstByteMs === null ? null : whole(row.firstByteMs, "time to first byte"),
    owner,
    periods.day,
    periods.month,
    row.trace ? encodeTrace(row.trace) : null,
  ];
}

const POSITION = new Map<string, number>(USAGE_COLUMNS.map((column, index) => [column, index]));

/** The position of a column in a row's cells. */
export function positionOf(column: UsageColumn): number {
  return POSITION.get(column) ?? -1;
}

export function textIn(row: readonly Cell[], column: UsageColumn): string {
  return String(row[positionOf(column)]);
}

export function numberIn(row: readonly Cell[], column: UsageColumn): number {
  return Number(row[positionOf(column)]);
}
