import type {
  ChannelTest,
  ModelOperation,
  TestChannel,
  UpstreamFailure,
} from "../../contracts/console/channels";
import { AppError, invalidField, isAppError } from "../../errors";
import { upstreamMessageOf } from "../../gateway/metering/outcome";
import { withKey } from "../../gateway/routing/choose-upstream-key";
import type { CallOptions, Voice } from "../../ports/speech-model";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { getChannelRecord, requireOperator } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { operationByName } from "../models/price-list";
import { nameOfKey } from "./stored-keys";

const TIMEOUT_MS = 20_000;
/** Short, and pronounced alike in many languages. */
const TEST_TEXT = "Patchbay is here.";
/** 24 kHz, two bytes a sample. */
const BYTES_PER_MS = 48;

/** The model under test. */
export interface Offer {
  name: string;
  upstreamName: string;
  operation: ModelOperation;
  /** The voice for requests that name none; null: the channel's first voice. */
  defaultVoice: string | null;
}

/** Wraps 24 kHz samples as a WAV file. */
export type ToWav = (pcm: Uint8Array) => Uint8Array;

/** The measured result of a successful test call. */
type CallResult = Pick<ChannelTest, "first_byte_ms" | "dimensions" | "audio_ms"> & { pcm: Uint8Array | null };

/** The channel's voices; empty when they cannot be listed now. */
export async function listVoices(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  offer: Offer,
): Promise<readonly Voice[]> {
  try {
    return await ctx.providers.speech(channel).voices(offer.upstreamName);
  } catch {
    return [];
  }
}

async function speak(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  offer: Offer,
  options: CallOptions,
): Promise<CallResult> {
  const startedAt = ctx.clock.monotonic();
  const [voice] = await listVoices(ctx, channel, offer);
  const request = {
    model: offer.upstreamName,
    segments: [{ text: TEST_TEXT, voice: offer.defaultVoice ?? voice?.name ?? "alloy" }],
    speed: 1,
  };
  const chunks: Uint8Array[] = [];
  let firstByteMs: number | null = null;
  for await (const event of ctx.providers.speech(channel).synthesize(request, options)) {
    firstByteMs ??= Math.round(ctx.clock.monotonic() - startedAt);
    if (event.type === "audio") chunks.push(event.pcm);
  }
  const pcm = Buffer.concat(chunks);
  if (pcm.byteLength === 0) throw new AppError("upstream_invalid", "The channel returned no audio.");
  const audioMs = Math.round(pcm.byteLength / BYTES_PER_MS);
  return { first_byte_ms: firstByteMs, dimensions: null, audio_ms: audioMs, pcm };
}

async function embed(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  offer: Offer,
  options: CallOptions,
): Promise<CallResult> {
  const request = { model: offer.upstreamName, texts: [TEST_TEXT] };
  const { vectors } = await ctx.providers.embedding(channel).embed(request, options);
  const [vector] = vectors;
  if (vector === undefined || vector.length === 0)
    throw new AppError("upstream_invalid", "The channel returned no vector.");
  return { first_byte_ms: null, dimensions: vector.length, audio_ms: null, pcm: null };
}

/** A failed upstream call as the API returns it; `key`: the name of the key, where the channel has several. */
export function toUpstreamFailure(
  ctx: ConsoleContext,
  error: AppError,
  key: string | null = null,
): UpstreamFailure {
  return {
    code: error.code,
    message: error.message,
    fault: error.details.upstreamRefusal ?? ctx.providers.failureOf(error),
    upstream_status: error.details.upstreamStatus ?? null,
    upstream_message: upstreamMessageOf(error),
    key,
  };
}

/** One short call to the upstream of a channel, with the same client and limits as any other call. Throws its error. */
export function callOnce(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  offer: Offer,
  progress = new UpstreamProgress(),
): Promise<CallResult> {
  const options: CallOptions = {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    requestId: ctx.requestId,
    firstByteBy: ctx.clock.monotonic() + TIMEOUT_MS,
    progress,
  };
  return (offer.operation === "speech" ? speak : embed)(ctx, channel, offer, options);
}

/** A channel with one of its keys, since a call uses one; `key`: its name, where there are several. */
interface KeyedChannel {
  channel: ChannelRecord;
  key: string | null;
}

/** Whether a failure is about the key, so that a call with another key may succeed. */
export const isAboutKey = ({ fault, code }: UpstreamFailure): boolean =>
  fault === "credentials" || fault === "account" || code === "upstream_rate_limited";

/**
 * Calls with each key of a channel, one after another, unless the first failure is not about its key. Returns the first
 * failure, if any, else the outcome with the first key.
 */
export async function withEachKey<Outcome extends { error: UpstreamFailure | null }>(
  channel: ChannelRecord,
  call: (one: KeyedChannel) => Promise<Outcome>,
): Promise<Outcome> {
  const [first, ...others] = channel.keys;
  if (first === undefined || others.length === 0) return call({ channel, key: null });
  const outcomeOf = (key: ChannelKey) => call({ channel: withKey(channel, key), key: nameOfKey(key) });
  let outcome = await outcomeOf(first);
  for (const key of others) {
    if (outcome.error !== null && !isAboutKey(outcome.error)) break;
    const next = await outcomeOf(key);
    if (outcome.error === null && next.error !== null) outcome = next;
  }
  return outcome;
}

/** One test call with each key. Closes the circuits of the keys that pass. */
export async function runTestCalls(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  offer: Offer,
  wav: ToWav,
): Promise<ChannelTest> {
  // Caches the channel's voices, read with all its keys, before the calls below would read them with one key.
  if (offer.operation === "speech") await listVoices(ctx, channel, offer);
  return withEachKey(channel, (one) => runTestCall(ctx, one, offer, wav));
}

/** The outcome of one test call, with its audio. */
async function runTestCall(
  ctx: ConsoleContext,
  { channel, key }: KeyedChannel,
  offer: Offer,
  wav: ToWav,
): Promise<ChannelTest> {
  const startedAt = ctx.clock.monotonic();
  const base = { model: offer.name, operation: offer.operation };
  const tookMs = () => Math.round(ctx.clock.monotonic() - startedAt);
  try {
    const { pcm, ...result } = await callOnce(ctx, channel, offer);
    ctx.state.circuits.close(channel.id, { keyId: channel.keys[0]?.id ?? null, model: offer.name });
    const audio = pcm === null ? null : Buffer.from(wav(pcm)).toString("base64");
    return { ok: true, ...base, latency_ms: tookMs(), ...result, audio_wav: audio, error: null };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const nothing = { first_byte_ms: null, dimensions: null, audio_ms: null, audio_wav: null };
    return {
      ok: false,
      ...base,
      latency_ms: tookMs(),
      ...nothing,
      error: toUpstreamFailure(ctx, error, key),
    };
  }
}

async function chooseOffer(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  asked: string | undefined,
): Promise<Offer> {
  const offer = asked === undefined ? channel.models[0] : channel.models.find((one) => one.name === asked);
  if (offer === undefined) {
    const message =
      asked === undefined
        ? "This channel serves no model yet; add one first."
        : `This channel does not serve '${asked}'.`;
    throw invalidField("model", message);
  }
  const models = await ctx.store.models.all();
  const model = models.find(({ name }) => name === offer.name);
  const operation = model?.operation ?? operationByName(offer.upstreamName) ?? "speech";
  return { ...offer, operation, defaultVoice: model?.defaultVoice ?? null };
}

/**
 * Sends one real call with each key of the channel and returns the outcome: the first failure, if any. Closes the
 * circuits of the keys that pass, and of the tested model on them. Throws `forbidden`, `not_found`, `invalid` (no such
 * model).
 */
export async function testChannel(
  ctx: ConsoleContext,
  id: string,
  input: TestChannel,
  wav: ToWav,
): Promise<ChannelTest> {
  await requireOperator(ctx);
  const channel = await getChannelRecord(ctx.store, id);
  const offer = await chooseOffer(ctx, channel, input.model);
  const result = await runTestCalls(ctx, channel, offer, wav);
  await ctx.store.transaction((tx) =>
    recordAudit(tx, ctx, {
      action: "channel.test",
      target: id,
      detail: { model: offer.name, ok: result.ok },
    }),
  );
  return result;
}
