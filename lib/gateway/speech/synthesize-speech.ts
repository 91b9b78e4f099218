import { codePoints } from "../../contracts/code-points";
import { AppError, causedByRequest, hasCode, isAppError } from "../../errors";
import type { CatalogEntry, Target } from "../../ports/catalog";
import { runInSlices } from "../../ports/run-in-slices";
import type { CallOptions, SpeechModel, SpeechRequest, SpeechSegment } from "../../ports/speech-model";
import type { CallParameters } from "../../ports/store";
import { spokenLength } from "../../text/spoken-length";
import { resolveModel } from "../admission/resolve-model";
import { cacheScope } from "../cache-keys";
import type { CallPlan, Meter } from "../call";
import type { GatewayContext, OpenedCall } from "../context";
import { countText } from "../embeddings/count-inputs";
import { openMeter } from "../metering/open-meter";
import { failedOutcome } from "../metering/outcome";
import { mayCacheResult } from "../routing/choose-channel";
import { withFailover } from "../routing/with-failover";
import { bufferSpeech, ReplyMemory } from "./buffer-speech";
import { type AskedVoices, type AssignedVoices, assignVoices } from "./choose-voices";
import { countGuidance, guidanceTokens } from "./guidance";
import type { OpenedSpeech } from "./opened-speech";
import type { SpokenPart } from "./script-speakers";
import {
  type CachedSpeech,
  cacheAtEnd,
  keepSpeech,
  lookUpSpeech,
  MAX_CACHED_SPEECH_BYTES,
  replay,
  type SpeechLookup,
} from "./speech-cache";
import { maxSpeechCostNano, maxSpeechSeconds, measureAudio } from "./speech-cost";
import { MeteredSpeech, openSpeech, type SpokenEvent } from "./speech-stream";

export interface SpeechInput {
  model: string;
  parts: SpokenPart[];
  voices: AskedVoices;
  language?: string;
  /** 0.25–4; 1 is natural. */
  speed: number;
  instructions?: string;
  /**
   * The texts that an upstream reads, and charges for, besides the text to speak, by field; the fields are named as in
   * `dialectFields`. Called only for a model with an upstream.
   */
  guidance: () => Readonly<Record<string, string>>;
  /** Replies that an upstream makes, and charges for; the first is used. Default: 1. */
  candidates?: number;
  endUser: string | null;
  source: { dialect: "gemini" | "openai"; body: Readonly<Record<string, unknown>> };
  /**
   * The reply is not streamed, so it must not begin before an upstream's audio is complete. Speech of a built-in engine
   * still begins at once.
   */
  isReplyBuffered?: boolean;
  /** The reply has raw samples in base64, so base64 that an upstream sends can be forwarded unchanged. */
  needsBase64?: boolean;
  /** Fields that only an upstream of the same dialect supports; reported as ignored for any other. */
  dialectFields: readonly string[];
  /**
   * Like `dialectFields`, for fields without meaning for a built-in engine (sampling and safety): a reply of such an
   * engine does not report them as ignored. Called only for an upstream of another dialect.
   */
  modelFields?: () => readonly string[];
}

export interface SpeechCall {
  /** Ends with `end` after the ledger entry is on disk. `return()`: the caller left; `throw(error)`: we failed. */
  events: AsyncIterableIterator<SpokenEvent>;
  /** Bytes of all its audio; null if not known in advance. */
  totalBytes: number | null;
  /** Reply headers: `x-patchbay-channel`, `-attempts`, `-overhead-ms`, `-ignored`. */
  headers(): Record<string, string>;
  logFields: OpenedCall["logFields"];
}

/** Field names of the voice and the text in each dialect, for messages and `param`. */
const FIELDS = {
  gemini: { voice: "voiceName", text: "contents" },
  openai: { voice: "voice", text: "input" },
} as const;

/** A call that has passed the checks of its text and voices. */
interface CheckedSpeech extends AssignedVoices {
  plan: CallPlan;
  lookup: SpeechLookup;
  /** The longest expected audio, in seconds. */
  maxSeconds: number;
  /** Tokens of the text to speak; `guidance` is counted separately. */
  textTokens: number;
  guidance: Awaited<ReturnType<typeof countGuidance>>;
}

/**
 * Speaks a text: checks it against the model, reserves its worst-case cost, and resolves with the first audio (with all
 * audio of an upstream for a buffered reply), so that an earlier failure still sets the status. Throws
 * `model_not_found`, `model_not_allowed`, `forbidden` (the key is not for speech), `invalid` (empty or long text,
 * unknown voice, a model of the other operation), `insufficient_quota`, `rate_limited`, `no_channel_available`,
 * `overloaded`, `storage_unavailable`, `upstream_*`, `caller_left`.
 */
export async function synthesizeSpeech(ctx: GatewayContext, input: SpeechInput): Promise<SpeechCall> {
  const checked = await checkSpeech(ctx, input);
  const { plan, guidance, textTokens } = checked;
  const meter = await openMeter(ctx, plan);
  const memory = new ReplyMemory(ctx, checked.maxSeconds);
  try {
    if (plan.isBuffered === true) memory.reserve();
    const { opened, ignored } = await speakOrReplay(ctx, { input, ...checked, meter, memory });
    return {
      totalBytes: opened.totalBytes ?? null,
      events: new MeteredSpeech(ctx, meter, opened, {
        inputTokens: textTokens + guidanceTokens(guidance, ignored),
        showsFinishReason: input.source.dialect === "gemini",
      }),
      headers: () =>
        ignored.length === 0
          ? meter.headers()
          : { "x-patchbay-ignored": ignored.join(", "), ...meter.headers() },
      logFields: () => meter.logFields(),
    };
  } catch (error) {
    // A caller who leaves while its reply is buffered is charged for the audio so far; any other error is free.
    const made = hasCode(error, "caller_left") ? memory.bytes : 0;
    memory.release();
    if (hasCode(error, "rate_limited")) ctx.services.metrics.count("rate_limited");
    const usage = { inputTokens: plan.inputTokens, ...measureAudio(made), estimated: true };
    await meter.settle(failedOutcome(error, made > 0 ? usage : {}));
    throw inCallerTerms(error, FIELDS[input.source.dialect].text);
  }
}

/** Checks the text and the voices against the model, looks in the cache, and plans the call. */
async function checkSpeech(ctx: GatewayContext, input: SpeechInput): Promise<CheckedSpeech> {
  const text = input.parts.map((part) => part.text).join("\n");
  const field = FIELDS[input.source.dialect];
  if (text.trim() === "") {
    throw new AppError("invalid", `'${field.text}' must contain text to speak.`, { param: field.text });
  }
  const entry = await resolveModel(ctx, input.model, "speech");
  const characters = codePoints(text);
  checkLength(characters, entry, input.model, field.text);
  // May wait for an upstream's list of voices.
  const startedAt = ctx.services.clock.monotonic();
  const assigned = await assignVoices(ctx, entry, input, field);
  const voiceListWaitMs = ctx.services.clock.monotonic() - startedAt;
  const lookup = await lookUpSpeech(ctx, entry, input.source);
  const isCached = lookup.known !== undefined;
  const hasUpstream = entry.routes.some(({ channel }) => !channel.embedded);
  const mayUseUpstream = !isCached && hasUpstream;
  // Counted for a cached reply too, so that the same request always counts the same tokens.
  const guidance = hasUpstream ? await countGuidance(ctx, input.guidance()) : [];
  const textTokens = await countText(ctx, text);
  const inputTokens = textTokens + guidanceTokens(guidance);
  const candidates = mayUseUpstream ? input.candidates : 1;
  const letters = isCached ? 0 : await runInSlices(spokenLetters(text), ctx.signal);
  const extent = { characters, letters, speed: input.speed };
  // True when the voice depends on the channel, which is not chosen yet.
  const voiceDependsOnChannel = new Set(assigned.defaults.values()).size > 1;
  const plan: CallPlan = {
    entry,
    requestedModel: input.model,
    inputTokens,
    characters,
    voiceListWaitMs,
    reservedNano: isCached ? 0 : maxSpeechCostNano(entry.model, { inputTokens, candidates, ...extent }),
    endUser: input.endUser,
    alwaysOpensEntry: !isCached,
    isBuffered: input.isReplyBuffered === true && mayUseUpstream,
    parameters: parametersOf(input, voiceDependsOnChannel ? [] : assigned.segments),
    promptText: () => text,
    ...(lookup.state === null ? {} : { cache: lookup.state }),
  };
  const maxSeconds = maxSpeechSeconds(entry.model, extent);
  return { plan, ...assigned, lookup, maxSeconds, textTokens, guidance };
}

/** Characters whose spoken length takes about a millisecond to count. */
const MEASURED_AT_ONCE = 16_000;

/** The spoken length of a text, in steps. */
function* spokenLetters(text: string): Generator<void, number, void> {
  let letters = 0;
  for (let at = 0; at < text.length; at += MEASURED_AT_ONCE) {
    letters += spokenLength(text.slice(at, at + MEASURED_AT_ONCE));
    yield;
  }
  return letters;
}

/**
 * An engine's error about its field `text` becomes one about the caller's field; any other error is returned unchanged.
 */
function inCallerTerms(error: unknown, field: string): unknown {
  if (!isAppError(error) || error.code !== "invalid" || error.details.param !== "text") return error;
  const { message, details } = error;
  const issues = [{ path: field, message }];
  return new AppError("invalid", message, { ...details, param: field, issues }, error);
}

/** Longer language tags are not recorded. */
const MAX_TAG_LENGTH = 35;

/** `segments`: empty when the channel decides about the voice. */
function parametersOf({ language, speed }: SpeechInput, segments: readonly SpeechSegment[]): CallParameters {
  const voices = new Map(segments.map((one) => [one.speaker?.toLowerCase(), one.voice]));
  return {
    voices: [...voices.values()].filter((voice) => voice !== ""),
    ...(language !== undefined && language.length <= MAX_TAG_LENGTH ? { language } : {}),
    ...(speed === 1 ? {} : { speed }),
  };
}

/** True for Gemini's stream, whose caller can use a part of the speech. */
function acceptsPart({ isReplyBuffered, source }: SpeechInput): boolean {
  return isReplyBuffered !== true && source.dialect === "gemini";
}

/** The speech from the cache, or from the first channel that returns audio. */
async function speakOrReplay(
  ctx: GatewayContext,
  call: CheckedSpeech & { input: SpeechInput; meter: Meter; memory: ReplyMemory },
): Promise<{ opened: OpenedSpeech; ignored: readonly string[] }> {
  const { input, segments, defaults, plan, meter, lookup, memory, maxSeconds } = call;
  if (lookup.known !== undefined) {
    meter.firstByte();
    return { opened: replay(lookup.known), ignored: lookup.known.ignored };
  }
  const attempt = async (target: Target, options: CallOptions) => {
    // The channel before this one may have reserved it; this one may stream its reply.
    if (plan.isBuffered !== true) memory.release();
    const speech = ctx.services.providers.speech(target.channel);
    const voice = defaults.get(target.channel.id);
    const own = voice === undefined ? segments : segments.map((segment) => ({ ...segment, voice }));
    const wanted = { ...toSpeechRequest(input, own, target), maxSeconds };
    // A cache stores samples, not base64.
    let isWhole = plan.isBuffered === true && !target.channel.embedded;
    if (input.needsBase64 === true && isWhole && lookup.key === null) wanted.acceptsBase64 = true;
    const { extendFirstByte } = options;
    const extend = (ms: number): number => {
      memory.reserve();
      isWhole = true;
      return extendFirstByte?.(ms) ?? options.firstByteBy;
    };
    const speak = (bound: CallOptions) => speech.synthesize(wanted, { ...bound, extendFirstByte: extend });
    const opened = await openSpeech(speak, target.channel.embedded, options).catch((error: unknown) => {
      throw isOfSilentText(error, segments) ? causedByRequest(error) : error;
    });
    opened.idleMs = target.channel.embedded ? Number.POSITIVE_INFINITY : target.channel.timeouts.idleMs;
    const isKept = lookup.key !== null && mayCacheResult(plan.entry, target);
    return { opened, ignored: ignoredFields(input, target, speech), isKept, isWhole };
  };
  const complete = async (begun: Awaited<ReturnType<typeof attempt>>) => {
    if (begun.isWhole) {
      const opened = await bufferSpeech(ctx, begun.opened, memory.reserve(), acceptsPart(input));
      return { ...begun, opened };
    }
    memory.release();
    return begun;
  };
  const generation = ctx.services.state.cacheGeneration;
  const { opened, ignored, isKept } = await withFailover(ctx, plan, meter, attempt, complete);
  const { key } = lookup;
  if (key === null || !isKept) return { opened, ignored };
  const copy = ctx.services.state.bufferedReplies.copy(ctx.caller.owner.id, MAX_CACHED_SPEECH_BYTES);
  const store = (speech: Omit<CachedSpeech, "ignored">) =>
    keepSpeech(ctx.services, cacheScope(ctx), key, { ...speech, ignored }, generation);
  return { opened: cacheAtEnd(opened, copy, store), ignored };
}

/** A letter or digit to speak: what `isSpeakable` of `lib/text` accepts. */
const SPEAKABLE = /[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{N}]/u;

/** True for a reply without audio to a text of punctuation or symbols: not the channel's failure. */
function isOfSilentText(error: unknown, segments: readonly SpeechSegment[]): error is AppError {
  return !segments.some(({ text }) => SPEAKABLE.test(text)) && hasCode(error, "upstream_invalid");
}

function checkLength(characters: number, { model }: CatalogEntry, asked: string, field: string): void {
  if (model.maxCharacters === null || characters <= model.maxCharacters) return;
  throw new AppError(
    "invalid",
    `'${field}' has ${characters} characters; ${asked} accepts at most ${model.maxCharacters} per request.`,
    { param: field },
  );
}

function toSpeechRequest(input: SpeechInput, segments: SpeechSegment[], target: Target): SpeechRequest {
  return {
    model: target.upstreamName,
    segments,
    ...(input.language === undefined ? {} : { language: input.language }),
    speed: input.speed,
    ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
    source: input.source,
    acceptsPart: acceptsPart(input),
  };
}

/** The fields that the channel ignored; a provider of the caller's own dialect supports all. */
function ignoredFields(
  input: SpeechInput,
  { channel, upstreamName }: Target,
  model: SpeechModel,
): readonly string[] {
  if (channel.provider === input.source.dialect) return [];
  const supported = model.supportedFields?.(upstreamName) ?? [];
  const fields = channel.embedded
    ? input.dialectFields
    : [...input.dialectFields, ...(input.modelFields?.() ?? [])];
  return fields.filter((field) => !supported.includes(field));
}
