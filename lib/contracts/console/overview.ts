import { z } from "zod";
import { Usd } from "../money";
import { Timestamp } from "../timestamp";
import { BrokenModel, CircuitHealth } from "./channels";
import { UsageSums } from "./usage-summary";

/** `GET /api/overview`: everything the first page tells of a range, and of the time before it to compare with. */
export const OverviewQuery = z.strictObject({
  from: Timestamp,
  to: Timestamp,
  interval: z.enum(["minute", "hour", "day"]),
});
export type OverviewQuery = z.output<typeof OverviewQuery>;

/** Equal pieces of time without holes; each list holds one value for each piece. */
export const OverviewSeries = z.strictObject({
  calls: z.array(z.int()),
  errors: z.array(z.int()),
  /** In and out. */
  tokens: z.array(z.int()),
  audio_ms: z.array(z.int()),
  cost_usd: z.array(Usd),
  latency_p50_ms: z.array(z.int().nullable()),
  latency_p95_ms: z.array(z.int().nullable()),
});
export type OverviewSeries = z.output<typeof OverviewSeries>;

/** Something that calls went through, from the one with most calls down. */
const Share = z.strictObject({ calls: z.int(), errors: z.int(), cost_usd: Usd });

export const OverviewModel = Share.extend({
  name: z.string(),
  /** Null: the model is gone. */
  operation: z.enum(["speech", "embeddings"]).nullable(),
});
export type OverviewModel = z.output<typeof OverviewModel>;

export const OverviewChannel = Share.extend({
  id: z.string(),
  /** Null: the channel is gone. */
  name: z.string().nullable(),
  enabled: z.boolean(),
  /** Null for a channel that is gone. */
  health: CircuitHealth.nullable(),
  /** Its keys that are not served by now, of several. */
  broken_keys: z.array(CircuitHealth.extend({ display: z.string() })),
  /** Its models whose circuits are not closed on any key. */
  broken_models: z.array(BrokenModel),
});
export type OverviewChannel = z.output<typeof OverviewChannel>;

export const OverviewKey = Share.extend({ id: z.string(), name: z.string().nullable() });
export type OverviewKey = z.output<typeof OverviewKey>;

/** A model on a channel: what is set up, and what was called. */
export const OverviewRoute = z.strictObject({
  model: z.string(),
  channel_id: z.string(),
  calls: z.int(),
  errors: z.int(),
});
export type OverviewRoute = z.output<typeof OverviewRoute>;

export const Overview = z.strictObject({
  from: Timestamp,
  to: Timestamp,
  /** Where only the newest calls of a busy hour were read: since when; null: all. */
  read_from: Timestamp.nullable(),
  total: UsageSums,
  /** The same of the time before, as far as the range has run by now. */
  before: UsageSums,
  /** Beginnings of the pieces: instants, or days in the instance's time zone (`2026-11-20`). */
  periods: z.array(z.string()),
  series: OverviewSeries,
  before_series: OverviewSeries,
  models: z.array(OverviewModel),
  keys: z.array(OverviewKey),
  /** Both empty for members: channels are the operators' matter. */
  channels: z.array(OverviewChannel),
  routes: z.array(OverviewRoute),
});
export type Overview = z.output<typeof Overview>;
