import { z } from "zod";
import { Usd } from "../money";
import { listOf } from "../paging";
import { boundedText } from "../text";
import { Timestamp } from "../timestamp";
import { wholeNumber } from "../whole-number";
import { ChannelUse, CircuitState, ModelName, ModelOperation } from "./channels";

/** Models as the console sees them: public names, prices and limits. */

/** Dollars per million units; null: no price is set, and that unit costs nothing. */
export const Prices = z.strictObject({
  input_per_million_tokens: Usd.nullable(),
  input_per_million_characters: Usd.nullable(),
  output_per_million_tokens: Usd.nullable(),
  output_per_million_seconds: Usd.nullable(),
});
export type Prices = z.output<typeof Prices>;

export const Model = z.strictObject({
  name: z.string(),
  aliases: z.array(z.string()),
  operation: ModelOperation,
  description: z.string(),
  prices: Prices,
  max_characters: z.int().nullable(),
  max_audio_seconds: z.int().nullable(),
  dimensions: z.int().nullable(),
  can_shorten: z.boolean(),
  max_input_tokens: z.int().nullable(),
  default_voice: z.string().nullable(),
  cacheable: z.boolean(),
  batching: z.boolean(),
  enabled: z.boolean(),
  /** The channels that serve the model, in the order of their tiers. */
  channels: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      priority: z.int(),
      enabled: z.boolean(),
      /** True for a built-in engine. */
      embedded: z.boolean(),
      /** The channel's circuit for this model, as the answering process sees it. */
      state: CircuitState,
      /** Outcome of the requests for this model on the channel. */
      use: ChannelUse,
    }),
  ),
  created_at: Timestamp,
  version: z.int(),
});
export type Model = z.output<typeof Model>;

const amount = (max: number) => wholeNumber(1, max).nullable();
const writable = {
  aliases: z.array(ModelName).max(50),
  description: boundedText(0, 500),
  prices: Prices.partial(),
  max_characters: amount(1_000_000),
  max_audio_seconds: amount(86_400),
  dimensions: amount(65_536),
  can_shorten: z.boolean(),
  max_input_tokens: amount(1_000_000),
  default_voice: boundedText(1, 128).nullable(),
  cacheable: z.boolean(),
  batching: z.boolean(),
  /** The old name of `batching`; when both are given, `batching` applies. */
  coalescing: z.boolean().meta({ deprecated: true }),
  enabled: z.boolean(),
};

/** `POST /api/models`: omitted fields come from the shipped model list, if it has the name. */
export const CreateModel = z
  .strictObject({ ...writable, name: ModelName, operation: ModelOperation })
  .partial()
  .required({ name: true, operation: true });
export type CreateModel = z.output<typeof CreateModel>;

export const UpdateModel = z.strictObject(writable).partial().extend({ version: z.int() });
export type UpdateModel = z.output<typeof UpdateModel>;

/** `GET /api/models`: all models, and the date of the shipped price list. */
export const ModelList = listOf(Model).extend({ price_list_date: z.iso.date() });
export type ModelList = z.output<typeof ModelList>;
