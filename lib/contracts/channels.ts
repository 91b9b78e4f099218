import { z } from "zod";
import { shownText } from "./text";
import { Timestamp } from "./timestamp";

/** Channels: where calls are sent (CONTRACT §7). */

const ModelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}$/, 'Must be a model\'s name, such as "tts-1".');

export const ModelOperation = z.enum(["speech", "embeddings"]);
export type ModelOperation = z.output<typeof ModelOperation>;

export const ChannelModel = z.strictObject({
  /** The public name. */
  name: ModelName,
  /** What the upstream calls it. */
  upstream_name: z.string().min(1, "Must not be empty.").max(256),
});

const milliseconds = z.int("Must be a whole number.").min(1).max(600_000);
export const ChannelTimeouts = z.strictObject({
  connect_ms: milliseconds.optional(),
  first_byte_ms: milliseconds.optional(),
  idle_ms: milliseconds.optional(),
  total_ms: milliseconds.optional(),
});
export type ChannelTimeouts = z.output<typeof ChannelTimeouts>;

/** Half open: the next call is the probe that decides. */
export const CircuitState = z.enum(["closed", "open", "half_open"]);
export type CircuitState = z.output<typeof CircuitState>;

/** What opened a circuit. */
export const CircuitReason = z.enum(["failures", "error_rate", "rate_limited", "credentials", "account"]);
export type CircuitReason = z.output<typeof CircuitReason>;

/** As the answering process sees it: circuits are each process's own. */
export const CircuitHealth = z.strictObject({
  state: CircuitState,
  opened_at: Timestamp.nullable(),
  reason: CircuitReason.nullable(),
  /** When the next call is let through to look; null unless open. */
  retry_at: Timestamp.nullable(),
});
export type CircuitHealth = z.output<typeof CircuitHealth>;

export const Channel = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  base_url: z.string().nullable(),
  /** Upstream keys are never read back: `display` shows their last four characters. */
  keys: z.array(CircuitHealth.extend({ id: z.string(), display: z.string() })),
  models: z.array(ChannelModel),
  priority: z.int(),
  weight: z.int(),
  rpm: z.int().nullable(),
  concurrency: z.int().nullable(),
  timeouts: ChannelTimeouts,
  headers: z.record(z.string(), z.string()),
  options: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
  /** An engine built in: it may be disabled, not deleted. */
  embedded: z.boolean(),
  /** Of the key that serves: its best one. */
  health: CircuitHealth,
  created_at: Timestamp,
  version: z.int(),
});
export type Channel = z.output<typeof Channel>;

const UpstreamKey = z
  .string()
  .min(1, "Must not be empty.")
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, "Must be printable characters without spaces.");
const Limit = z.int("Must be a whole number.").min(1, "Must be 1 or more.").max(1_000_000_000).nullable();

const writable = {
  name: shownText(64),
  base_url: z.string().max(2_048, "Must have at most 2,048 characters.").nullable(),
  models: z
    .array(ChannelModel.extend({ operation: ModelOperation.optional() }))
    .max(500)
    .refine((list) => new Set(list.map((one) => one.name)).size === list.length, "Each public name once."),
  priority: z.int("Must be a whole number.").min(0).max(1_000),
  weight: z.int("Must be a whole number.").min(0).max(1_000),
  rpm: Limit,
  concurrency: Limit,
  timeouts: ChannelTimeouts,
  headers: z.record(z.string().max(128), z.string().max(4_096)),
  options: z.record(z.string().max(64), z.unknown()),
  enabled: z.boolean(),
};

/** `POST /api/channels`. A public name that no model has yet is made a model, with prices of the shipped list. */
export const CreateChannel = z
  .strictObject({
    ...writable,
    provider: z.string().max(64),
    keys: z.array(UpstreamKey).max(20),
  })
  .partial()
  .required({ name: true, provider: true });
export type CreateChannel = z.output<typeof CreateChannel>;

/** `PATCH /api/channels/{id}`: in `keys` an `{id}` keeps a key, a string is a new one; who is missing goes. */
export const UpdateChannel = z
  .strictObject({
    ...writable,
    keys: z.array(z.union([UpstreamKey, z.strictObject({ id: z.string().max(64) })])).max(20),
  })
  .partial()
  .extend({ version: z.int() });
export type UpdateChannel = z.output<typeof UpdateChannel>;

/** `POST /api/channels/{id}/close`: the circuit of one key; absent: all of the channel's. */
export const CloseCircuit = z.strictObject({ key_id: z.string().max(64).optional() });
export type CloseCircuit = z.output<typeof CloseCircuit>;

/**
 * `POST /api/channels/order`: every channel once, in the tiers in which they are to be tried. Channels of one tier
 * share its calls by weight.
 */
export const OrderChannels = z.strictObject({
  tiers: z
    .array(
      z
        .array(z.strictObject({ id: z.string().max(64), version: z.int() }))
        .min(1)
        .max(1_000),
    )
    .max(1_000),
});
export type OrderChannels = z.output<typeof OrderChannels>;

/** `POST /api/channels/{id}/test`: which public model to try; absent: the first. */
export const TestChannel = z.strictObject({ model: ModelName.optional() });
export type TestChannel = z.output<typeof TestChannel>;

/** Why an upstream gave nothing. */
export const UpstreamFault = z.strictObject({
  code: z.string(),
  message: z.string(),
  /** What lies under it, where no answer came: `connection_refused`, `tls_failed`, … */
  fault: z.string().nullable(),
  upstream_status: z.int().nullable(),
});
export type UpstreamFault = z.output<typeof UpstreamFault>;

export const ChannelTest = z.strictObject({
  ok: z.boolean(),
  model: z.string(),
  operation: ModelOperation,
  latency_ms: z.int(),
  first_byte_ms: z.int().nullable(),
  /** Embeddings: the vector's length. */
  dimensions: z.int().nullable(),
  /** Speech: how long it is, and the sound as a WAV file in base64. */
  audio_ms: z.int().nullable(),
  audio_wav: z.string().nullable(),
  error: UpstreamFault.nullable(),
});
export type ChannelTest = z.output<typeof ChannelTest>;

/** `POST /api/channels/{id}/models`: null where the upstream has no list. */
export const UpstreamModels = z.strictObject({
  models: z.array(z.strictObject({ name: z.string(), operation: ModelOperation.nullable() })).nullable(),
});
export type UpstreamModels = z.output<typeof UpstreamModels>;

const draft = {
  /** The channel that is being changed; its kept keys are meant by their ids. */
  channel_id: z.string().max(64).optional(),
  provider: z.string().max(64),
  base_url: writable.base_url.optional(),
  /** The first one is shown to the upstream. */
  keys: z
    .array(z.union([UpstreamKey, z.strictObject({ id: z.string().max(64) })]))
    .max(20)
    .optional(),
  timeouts: ChannelTimeouts.optional(),
  headers: writable.headers.optional(),
  options: writable.options.optional(),
};

/** `POST /api/channels/draft/models`: a channel that is not saved yet. */
export const DraftChannel = z.strictObject(draft);
export type DraftChannel = z.output<typeof DraftChannel>;

/** `POST /api/channels/draft/test`. */
export const TestDraft = z.strictObject({
  ...draft,
  model: z.strictObject({ upstream_name: ChannelModel.shape.upstream_name, operation: ModelOperation }),
});
export type TestDraft = z.output<typeof TestDraft>;

/** What an upstream answered that was asked for its list: `models` is null where it has none, or with an error. */
export const DraftModels = UpstreamModels.extend({ error: UpstreamFault.nullable() });
export type DraftModels = z.output<typeof DraftModels>;

/** `GET /api/providers`: what a channel may be made of. */
export const Provider = z.strictObject({
  name: z.string(),
  operations: z.array(ModelOperation),
  default_base_url: z.string().nullable(),
});
export type Provider = z.output<typeof Provider>;

/** `POST /api/upstreams/allowed`: the owner's word, with the password, for one host and port. */
export const AllowUpstream = z.strictObject({
  base_url: z.string().min(1).max(2_048),
  password: z.string().min(1).max(1_024),
});
export type AllowUpstream = z.output<typeof AllowUpstream>;

export const AllowedUpstreams = z.strictObject({ targets: z.array(z.string()) });
export type AllowedUpstreams = z.output<typeof AllowedUpstreams>;
