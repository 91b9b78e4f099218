import { z } from "zod";
import { Timestamp } from "../timestamp";
import { CircuitReason, ModelOperation } from "./channels";

/** Where a call for a model would go at this moment (DESIGN §4). */

const RoutedChannel = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  priority: z.int(),
  weight: z.int(),
  /** What the upstream calls the model. */
  upstream_name: z.string(),
});

/** Channels of one tier: one of them is drawn, the others serve the next attempts. */
export const RouteTurn = z.strictObject({
  priority: z.int(),
  /** The likeliest first, recovering ones last. */
  channels: z.array(
    RoutedChannel.extend({
      /** How likely it is to be the one drawn, from 0 to 1; 0 while it recovers. */
      share: z.number().min(0).max(1),
      /** Its circuit is half-open: one request goes there first, as its probe, and decides. */
      recovering: z.boolean(),
    }),
  ),
});
export type RouteTurn = z.output<typeof RouteTurn>;

/** `rpm` and `concurrency`: the channel's own limit is reached. */
export const SkipReason = z.enum(["disabled", "circuit", "concurrency", "rpm"]);
export type SkipReason = z.output<typeof SkipReason>;

/** `GET /api/models/{model}/route`: by public name or alias. */
export const RoutePreview = z.strictObject({
  /** The model's own name, whichever of its names was asked for. */
  model: z.string(),
  operation: ModelOperation,
  /** False: the model is disabled, and calls for it are told that it does not exist. */
  enabled: z.boolean(),
  /** Attempts of one call at most. */
  attempts: z.int(),
  /** In the order in which a call comes by; empty when nobody would serve it. */
  turns: z.array(RouteTurn),
  skipped: z.array(
    RoutedChannel.extend({
      reason: SkipReason,
      /** What opened the circuit, where that is the reason. */
      circuit_reason: CircuitReason.nullable(),
      /** When it may take calls again; null where only its calls or its operator can tell. */
      until: Timestamp.nullable(),
    }),
  ),
});
export type RoutePreview = z.output<typeof RoutePreview>;
