import { z } from "zod";
import { boundedLine, boundedText, displayText } from "../text";
import { Timestamp } from "../timestamp";
import { wholeNumber } from "../whole-number";
import { MODEL_NAME } from "./model-name";
import { Password } from "./password";
import { BaseUrl, Headers, OTHER_SERVICES_PORTS } from "./upstream-address";

/** Channels: the upstreams of the gateway. */

export const ModelName = z.string().regex(MODEL_NAME, 'Must be a model\'s name, such as "tts-1".');

export const ModelOperation = z.enum(["speech", "embeddings"]);
export type ModelOperation = z.output<typeof ModelOperation>;

const ChannelModel = z.strictObject({
  /** The public name. */
  name: ModelName,
  /** The upstream's name for it. */
  upstream_name: boundedText(1, 256),
});

const milliseconds = wholeNumber(1, 600_000);
export const ChannelTimeouts = z.strictObject({
  connect_ms: milliseconds.optional(),
  first_byte_ms: milliseconds.optional(),
  idle_ms: milliseconds.optional(),
  total_ms: milliseconds.optional(),
});
export type ChannelTimeouts = z.output<typeof ChannelTimeouts>;

/** Half-open: recovering; the next request is the probe that closes the circuit or opens it again. */
export const CircuitState = z.enum(["closed", "open", "half_open"]);

/** Why a circuit opened. */
export const CircuitReason = z.enum(["failures", "error_rate", "rate_limited", "credentials", "account"]);
export type CircuitReason = z.output<typeof CircuitReason>;

/**
 * As the answering process sees it: each process has its own circuits, and their states are shared only through Redis.
 */
export const CircuitHealth = z.strictObject({
  state: CircuitState,
  opened_at: Timestamp.nullable(),
  reason: CircuitReason.nullable(),
  /** When the circuit becomes half-open and lets one request through as its probe; null unless open. */
  retry_at: Timestamp.nullable(),
});
export type CircuitHealth = z.output<typeof CircuitHealth>;

/**
 * Outcome of the requests of the last 24 hours. `serving`: one succeeded; `failing`: all failed; `none`: there was
 * none.
 */
export const ChannelUse = z.enum(["none", "failing", "serving"]);
export type ChannelUse = z.output<typeof ChannelUse>;

/** A model whose circuit on the channel is open, or half-open so that only a probe is sent. */
export const BrokenModel = CircuitHealth.extend({ name: z.string() });
export type BrokenModel = z.output<typeof BrokenModel>;

export const Channel = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  base_url: z.string().nullable(),
  /**
   * Upstream keys are never returned: `display` shows their last four characters, `label` is the operator's name.
   * The health of a key is that of its best model.
   */
  keys: z.array(CircuitHealth.extend({ id: z.string(), display: z.string(), label: z.string().nullable() })),
  models: z.array(ChannelModel),
  priority: z.int(),
  weight: z.int(),
  rpm: z.int().nullable(),
  concurrency: z.int().nullable(),
  timeouts: ChannelTimeouts,
  headers: z.record(z.string(), z.string()),
  options: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
  /** An embedded engine: it can be disabled, not deleted. */
  embedded: z.boolean(),
  /** The health of its best model and key: closed while the channel serves any model. */
  health: CircuitHealth,
  /** Models without a closed circuit on any key; empty when every model is served. */
  broken_models: z.array(BrokenModel),
  use: ChannelUse,
  created_at: Timestamp,
  version: z.int(),
});
export type Channel = z.output<typeof Channel>;

const Id = boundedLine(1, 64);

const UpstreamKey = z
  .string()
  .min(1, "Must not be empty.")
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, "Must be printable characters without spaces.");
const KeyLabel = displayText(60);
/** A new upstream key with a label, unique in its channel. */
const NewKey = z.strictObject({ key: UpstreamKey, label: KeyLabel.optional() });
export type NewKey = z.output<typeof NewKey>;
const Limit = wholeNumber(1, 1_000_000_000).nullable();

export const LOCAL_VOICES = "local-voices";

/** Providers that call an upstream; each is a folder of lib/providers. */
export const UPSTREAM_PROVIDER_NAMES = ["gemini", "openai", "elevenlabs"] as const;
/** Tables by provider have these keys, so that a table without an entry for each provider does not compile. */
export type UpstreamProviderName = (typeof UPSTREAM_PROVIDER_NAMES)[number];
// A string instead of `z.enum`: the console's forms take the names from `GET /api/providers`.
const ProviderName = z
  .string()
  .max(64)
  .refine(
    (name) => UPSTREAM_PROVIDER_NAMES.some((one) => one === name),
    `Must be one of ${UPSTREAM_PROVIDER_NAMES.join(", ")}.`,
  )
  .meta({ enum: [...UPSTREAM_PROVIDER_NAMES] });

const writable = {
  name: displayText(64),
  base_url: BaseUrl.meta({
    description: "Private addresses and plain http need an entry in the owner's list of allowed upstreams",
    not: {
      anyOf: [
        { pattern: "/(?:\\.|%2[Ee]){1,2}(?:/|$)|%2[Ff]|%5[Cc]|%00" },
        { pattern: `^[^/]*//[^/]*:(?:${OTHER_SERVICES_PORTS.join("|")})(?:/|$)` },
      ],
    },
  }).nullable(),
  models: z
    .array(ChannelModel.extend({ operation: ModelOperation.optional() }))
    .max(500)
    .refine(
      (list) => new Set(list.map((one) => one.name)).size === list.length,
      "Must not repeat a public name.",
    ),
  priority: wholeNumber(0, 1_000),
  weight: wholeNumber(0, 1_000),
  rpm: Limit,
  concurrency: Limit,
  timeouts: ChannelTimeouts,
  headers: Headers,
  /** Options of the provider: `OPTION_SHAPES` (channel-options.ts) has their shapes. */
  options: z.record(z.string().max(64), z.unknown()),
  enabled: z.boolean(),
};

/** Largest body with a channel, in bytes: 500 models with their longest names, 20 keys and 20 headers fit. */
export const MAX_CHANNEL_BYTES = 1024 * 1024;

/** `POST /api/channels`. Also creates a model for each public name without one, with prices of the shipped list. */
export const CreateChannel = z
  .strictObject({
    ...writable,
    provider: ProviderName,
    keys: z.array(z.union([UpstreamKey, NewKey])).max(20),
  })
  .partial()
  .required({ name: true, provider: true });
export type CreateChannel = z.output<typeof CreateChannel>;

/**
 * `PATCH /api/channels/{id}`. In `keys`, an `{id}` keeps that stored key; its label changes only if `label` is sent
 * (null removes it). A string or a `{key}` adds a key. Stored keys that are not listed are removed.
 */
export const UpdateChannel = z
  .strictObject({
    ...writable,
    keys: z
      .array(
        z.union([UpstreamKey, NewKey, z.strictObject({ id: Id, label: KeyLabel.nullable().optional() })]),
      )
      .max(20),
  })
  .partial()
  .extend({ version: z.int() });
export type UpdateChannel = z.output<typeof UpdateChannel>;

/** `POST /api/channels/{id}/close`: the key whose circuits to close; absent: all circuits of the channel. */
export const CloseCircuit = z.strictObject({ key_id: Id.optional() });
export type CloseCircuit = z.output<typeof CloseCircuit>;

/** `POST /api/channels/order`: every channel once, by tier. Channels of one tier share calls by weight and latency. */
export const OrderChannels = z.strictObject({
  tiers: z
    .array(
      z
        .array(z.strictObject({ id: Id, version: z.int() }))
        .min(1)
        .max(1_000),
    )
    .max(1_000),
});
export type OrderChannels = z.output<typeof OrderChannels>;

/** `POST /api/channels/{id}/test`: the public model to test; absent: the first. */
export const TestChannel = z.strictObject({ model: ModelName.optional() });
export type TestChannel = z.output<typeof TestChannel>;

/** Why an upstream call failed. */
export const UpstreamFailure = z.strictObject({
  code: z.string(),
  message: z.string(),
  /**
   * The network error when there was no response (`connection_refused`, `tls_failed`, …), or what the upstream refused:
   * the channel's key (`credentials`) or its account, such as one without credit (`account`).
   */
  fault: z.string().nullable(),
  upstream_status: z.int().nullable(),
  /** The upstream's own message without secrets, at most 500 characters; null: it sent none. */
  upstream_message: z.string().nullable(),
  /** Label or last characters of the key of a failed test, where the channel has several. */
  key: z.string().nullable(),
});
export type UpstreamFailure = z.output<typeof UpstreamFailure>;

export const ChannelTest = z.strictObject({
  ok: z.boolean(),
  model: z.string(),
  operation: ModelOperation,
  latency_ms: z.int(),
  first_byte_ms: z.int().nullable(),
  /** Embeddings: length of the vector. */
  dimensions: z.int().nullable(),
  /** Speech: duration, and the audio as a WAV file in base64. */
  audio_ms: z.int().nullable(),
  audio_wav: z.string().nullable(),
  error: UpstreamFailure.nullable(),
});
export type ChannelTest = z.output<typeof ChannelTest>;

/** `POST /api/channels/{id}/models`: null if the upstream has no list. */
export const UpstreamModels = z.strictObject({
  models: z.array(z.strictObject({ name: z.string(), operation: ModelOperation.nullable() })).nullable(),
});
export type UpstreamModels = z.output<typeof UpstreamModels>;

const draft = {
  /** The channel being edited; its stored keys are referenced by ID. */
  channel_id: Id.optional(),
  provider: ProviderName,
  base_url: writable.base_url.optional(),
  keys: z
    .array(z.union([UpstreamKey, z.strictObject({ id: Id })]))
    .max(20)
    .optional(),
  timeouts: ChannelTimeouts.optional(),
  headers: writable.headers.optional(),
  options: writable.options.optional(),
};

/** `POST /api/channels/draft/models`: an unsaved channel. */
export const DraftChannel = z.strictObject(draft);
export type DraftChannel = z.output<typeof DraftChannel>;

export const TestDraft = z.strictObject({
  ...draft,
  model: z.strictObject({ upstream_name: ChannelModel.shape.upstream_name, operation: ModelOperation }),
});
export type TestDraft = z.output<typeof TestDraft>;

/** The models of an upstream: null if it has no list, or with an error. */
export const DraftModels = UpstreamModels.extend({ error: UpstreamFailure.nullable() });
export type DraftModels = z.output<typeof DraftModels>;

export const Provider = z.strictObject({
  name: z.string(),
  operations: z.array(ModelOperation),
  default_base_url: z.string().nullable(),
});
export type Provider = z.output<typeof Provider>;

export const ProviderList = z.strictObject({ items: z.array(Provider) });

/** `POST /api/upstreams/allowed`: allows one host and port; needs the owner's password. */
export const AllowUpstream = z.strictObject({
  base_url: BaseUrl,
  password: Password,
});
export type AllowUpstream = z.output<typeof AllowUpstream>;

export const AllowedUpstreams = z.strictObject({ targets: z.array(z.string()) });
export type AllowedUpstreams = z.output<typeof AllowedUpstreams>;
