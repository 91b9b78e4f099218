import { z } from "zod";
import { Timestamp } from "../timestamp";
import { ChannelUse, CircuitHealth, CircuitReason, ModelOperation } from "./channels";

/** The route of a call for a model at this moment. */

const RoutedChannel = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  priority: z.int(),
  weight: z.int(),
  /** The upstream's name for the model. */
  upstream_name: z.string(),
});

/** Channels of one tier: one is picked first, the others serve the next attempts. */
const RouteTurn = z.strictObject({
  priority: z.int(),
  /** Channels with closed circuits, the most likely first. */
  channels: z.array(
    RoutedChannel.extend({
      /** Probability of being picked, 0 to 1; the sum over the turn is 1. */
      share: z.number().min(0).max(1),
      /** Outcome of the requests for this model on the channel. */
      use: ChannelUse,
    }),
  ),
});

/** `rpm` and `concurrency`: the channel's own limit is reached. */
export const SkipReason = z.enum(["disabled", "circuit", "concurrency", "rpm"]);
export type SkipReason = z.output<typeof SkipReason>;

/** `GET /api/models/{model}/route`: by public name or alias. */
export const RoutePreview = z.strictObject({
  /** The model's name, even if an alias was requested. */
  model: z.string(),
  operation: ModelOperation,
  /** False: the model is disabled, and calls for it get "not found". */
  enabled: z.boolean(),
  /** Most attempts of one call. */
  attempts: z.int(),
  /** In the order of attempts; empty if no channel has a closed circuit and capacity. */
  turns: z.array(RouteTurn),
  /** Half-open circuits: each channel gets one request at a time, as its probe. */
  recovering: z.array(RoutedChannel.extend({ health: CircuitHealth })),
  skipped: z.array(
    RoutedChannel.extend({
      reason: SkipReason,
      /** Why the circuit opened, if that is the reason. */
      circuit_reason: CircuitReason.nullable(),
      /** When it may serve again; null if unknown. */
      until: Timestamp.nullable(),
    }),
  ),
});
export type RoutePreview = z.output<typeof RoutePreview>;
