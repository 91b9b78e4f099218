import { z } from "zod";
import { Usd } from "../money";
import { Timestamp } from "../timestamp";
import { BrokenModel, CircuitHealth } from "./channels";
import { UsageInterval, UsageSums } from "./usage-summary";

/** `GET /api/overview`: figures of a range and of the preceding period of the same length. */
export const OverviewQuery = z.strictObject({
  from: Timestamp,
  to: Timestamp,
  interval: UsageInterval,
});
export type OverviewQuery = z.output<typeof OverviewQuery>;

/** Equal intervals without gaps; each list has one value per interval. */
export const OverviewSeries = z.strictObject({
  calls: z.array(z.int()),
  errors: z.array(z.int()),
  /** Input plus output. */
  tokens: z.array(z.int()),
  audio_ms: z.array(z.int()),
  cost_usd: z.array(Usd),
  latency_p50_ms: z.array(z.int().nullable()),
  latency_p95_ms: z.array(z.int().nullable()),
});
export type OverviewSeries = z.output<typeof OverviewSeries>;

/** Sums over some of the calls. Lists are ordered by calls, most first. */
const CallTotals = z.strictObject({ calls: z.int(), errors: z.int(), cost_usd: Usd });

export const OverviewModel = CallTotals.extend({
  name: z.string(),
  /** Null: the model was deleted. */
  operation: z.enum(["speech", "embeddings"]).nullable(),
  /** Whether a channel in use serves it or was called for it; false for members, who may not see channels. */
  served: z.boolean(),
});
export type OverviewModel = z.output<typeof OverviewModel>;

export const OverviewChannel = CallTotals.extend({
  id: z.string(),
  /** Null: the channel was deleted. */
  name: z.string().nullable(),
  enabled: z.boolean(),
  /** Failed attempts here of calls that ended on another channel or on none. */
  failovers: z.int(),
  /** Null for a deleted channel. */
  health: CircuitHealth.nullable(),
  /** Keys whose circuit is not closed. `display`: the key's label, else its last characters. */
  broken_keys: z.array(CircuitHealth.extend({ display: z.string() })),
  /** Its models whose circuits are not closed on any key. */
  broken_models: z.array(BrokenModel),
});
export type OverviewChannel = z.output<typeof OverviewChannel>;

export const OverviewKey = CallTotals.extend({ id: z.string(), name: z.string().nullable() });
export type OverviewKey = z.output<typeof OverviewKey>;

/** A model on a channel: configured or called. */
export const OverviewRoute = z.strictObject({
  model: z.string(),
  channel_id: z.string(),
  /** Calls that ended on this channel. */
  calls: z.int(),
  errors: z.int(),
  /** Failed attempts here of calls that ended on another channel or on none. */
  failovers: z.int(),
});
export type OverviewRoute = z.output<typeof OverviewRoute>;

export const Overview = z.strictObject({
  from: Timestamp,
  to: Timestamp,
  /**
   * The time since which calls are included, when there were too many to read or the retention has deleted the earlier
   * ones; null: the whole range is included.
   */
  read_from: Timestamp.nullable(),
  total: UsageSums,
  /** Sums of the preceding period; while the range is still running, of the same elapsed share of that period. */
  before: UsageSums,
  /** Requests that were refused before a channel was called; not included in the calls. */
  rejected: z.int(),
  /** Starts of the intervals: timestamps, or days in the instance's time zone (`2026-11-20`). */
  periods: z.array(z.string()),
  series: OverviewSeries,
  before_series: OverviewSeries,
  models: z.array(OverviewModel).meta({
    description: "The ten models with the most calls; /api/usage/summary?by=model has all",
  }),
  keys: z.array(OverviewKey),
  /** Calls that were answered without calling a channel: from a cache, or as repeats with an Idempotency-Key. */
  cached: CallTotals,
  /** Calls that failed before a channel was called. */
  not_routed: CallTotals,
  /** Called models without a price, which `cost_usd` does not include. */
  unpriced_models: z.array(z.string()),
  channels: z.array(OverviewChannel).meta({
    description:
      "The ten channels in use (enabled or called) with the most calls, and those with a circuit that is not closed; /api/usage/summary?by=channel has all. Empty for members",
  }),
  routes: z
    .array(OverviewRoute)
    .meta({ description: "Routes between the listed models and channels. Empty for members" }),
});
export type Overview = z.output<typeof Overview>;
