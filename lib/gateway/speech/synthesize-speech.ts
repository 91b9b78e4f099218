import { codePoints } from "../../contracts/text";
import { AppError, causedByRequest, hasCode, isAppError } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import { runInSlices } from "../../ports/run-in-slices";
import type { CallOptions, SpeechModel, SpeechRequest, SpeechSegment } from "../../ports/speech-model";
import type { CallParameters } from "../../ports/store";
import { resolveModel } from "../admission/resolve-model";
import { cacheScope } from "../cache-keys";
import type { CallPlan, Meter, Target } from "../call";
import type { GatewayContext } from "../context";
import { countText } from "../embeddings/count-inputs";
import { openMeter } from "../metering/open-meter";
import { failedOutcome } from "../metering/outcome";
import { withFailover } from "../routing/with-failover";
import { bufferSpeech } from "./buffer-speech";
import type { BufferedSpeech } from "./buffered-replies";
import { canonicalVoice, listVoiceNames, type VoiceNames } from "./choose-voices";
import { countGuidance, guidanceTokens } from "./guidance";
import type { OpenedSpeech } from "./opened-speech";
import { requireConfigured, type SpokenPart, scriptSpeakers, singleSpeaker } from "./script-speakers";
import {
  type CachedSpeech,
  cacheAtEnd,
  keepSpeech,
  lookUpSpeech,
  MAX_SPEECH_BYTES,
  replay,
  type SpeechLookup,
} from "./speech-cache";
import { maxSpeechCostNano, maxSpeechSeconds, measureAudio } from "./speech-cost";
import { MeteredSpeech, openSpeech, type SpokenEvent } from "./speech-stream";

export interface SpeechInput {
  model: string;
  parts: SpokenPart[];
  /** `voice` null: the default voice of the model. */
  voices:
    | { kind: "single"; voice: string | null }
    | { kind: "script"; speakers: { speaker: string; voice: string }[] };
  language?: string;
  /** 0.25–4; 1 is natural. */
  speed: number;
  instructions?: string;
  /**
   * What an upstream reads, and charges for, besides the text to speak, by the names of `dialectFields`. Called only
   * for a model with an upstream.
   */
  guidance: () => Readonly<Record<string, string>>;
  /** Replies that an upstream makes, and charges for; the first is used. Default: 1. */
  candidates?: number;
  user: string | null;
  source: { dialect: "gemini" | "openai"; body: Readonly<Record<string, unknown>> };
  /**
   * The reply is not streamed, so that it must not begin before an upstream's audio is complete. Speech of a
   * built-in engine begins at once nevertheless.
   */
  isReplyBuffered?: boolean;
  /** The reply needs raw samples in base64, which an upstream may have sent so. */
  needsBase64?: boolean;
  /** Fields that only an upstream of the same dialect supports; reported as ignored for any other. */
  dialectFields: readonly string[];
  /**
   * Like `dialectFields`, but of no meaning to a built-in engine, which does not report them: sampling and safety.
   * Called only for an upstream of another dialect.
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
}

/** Field names of the voice and the text in each dialect, for messages and `param`. */
const FIELDS = {
  gemini: { voice: "voiceName", text: "contents" },
  openai: { voice: "voice", text: "input" },
} as const;

/**
 * Speaks a text: checks it against the model, reserves its worst-case cost, and resolves with the first audio (with all
 * audio of an upstream for a buffered reply), so that an earlier failure still sets the status. Throws
 * `model_not_found`, `model_not_allowed`, `invalid` (empty or long text, unknown voice, a model of the other operation),
 * `insufficient_quota`, `rate_limited`, `no_channel_available`, `overloaded`, `upstream_*`, `caller_left`.
 */
export async function synthesizeSpeech(ctx: GatewayContext, input: SpeechInput): Promise<SpeechCall> {
  const text = input.parts.map((part) => part.text).join("\n");
  const field = FIELDS[input.source.dialect];
  if (text.trim() === "") {
    throw new AppError("invalid", `'${field.text}' must contain text to speak.`, { param: field.text });
  }
  const entry = await resolveModel(ctx, input.model, "speech");
  const characters = codePoints(text);
  checkLength(characters, entry, input.model, field.text);
  const { segments, defaults } = await assignVoices(ctx, entry, input);
  const lookup = await lookUpSpeech(ctx, entry, input.source);
  const hasUpstream = entry.routes.some(({ channel }) => !channel.embedded);
  const guidance =
    hasUpstream && lookup.known === undefined ? await countGuidance(ctx, input.guidance()) : [];
  const textTokens = await countText(ctx, text);
  const inputTokens = textTokens + guidanceTokens(guidance);

  const plan: CallPlan = {
    entry,
    operation: "speech",
    requestedModel: input.model,
    inputTokens,
    characters,
    reservedNano:
      lookup.known === undefined
        ? maxSpeechCostNano(entry.model, {
            inputTokens,
            characters,
            speed: input.speed,
            candidates: hasUpstream ? input.candidates : 1,
          })
        : 0,
    user: input.user,
    writesOpenRow: lookup.known === undefined,
    parameters: parametersOf(input, new Set(defaults.values()).size > 1 ? [] : segments),
    promptText: () => text,
    ...(lookup.state === null ? {} : { cache: lookup.state }),
  };
  const meter = await openMeter(ctx, plan);
  let buffer: BufferedSpeech | null = null;
  try {
    if (input.isReplyBuffered === true && hasUpstream && lookup.known === undefined)
      buffer = ctx.services.state.bufferedReplies.enter(
        ctx.services,
        ctx.caller.owner.id,
        maxSpeechSeconds(entry.model, { characters, speed: input.speed }),
      );
    const { opened, ignored } = await openCall(ctx, {
      input,
      segments,
      defaults,
      plan,
      meter,
      lookup,
      buffer,
    });
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
    };
  } catch (error) {
    // A caller who leaves while its reply is buffered is charged for the audio so far; any other error is free.
    const made = buffer !== null && hasCode(error, "caller_left") ? buffer.bytes : 0;
    buffer?.release();
    await meter.settle(
      failedOutcome(error, made > 0 ? { inputTokens, ...measureAudio(made), estimated: true } : {}),
    );
    throw inCallerTerms(error, field.text);
  }
}

/** An engine's error in the text, which it names `text`, with the caller's field; any other error unchanged. */
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

/** The speech from the cache, or from the first channel that returns audio. */
async function openCall(
  ctx: GatewayContext,
  call: {
    input: SpeechInput;
    segments: SpeechSegment[];
    defaults: VoiceNames["defaults"];
    plan: CallPlan;
    meter: Meter;
    lookup: SpeechLookup;
    buffer: BufferedSpeech | null;
  },
): Promise<{ opened: OpenedSpeech; ignored: readonly string[] }> {
  const { input, segments, defaults, plan, meter, lookup, buffer } = call;
  if (lookup.known !== undefined) {
    meter.firstByte();
    return { opened: replay(lookup.known), ignored: lookup.known.ignored };
  }
  const attempt = async (target: Target, options: CallOptions) => {
    const speech = ctx.services.providers.speech(target.channel);
    const voice = defaults.get(target.channel.id);
    const own = voice === undefined ? segments : segments.map((segment) => ({ ...segment, voice }));
    const wanted = toSpeechRequest(input, own, target);
    // A cache stores samples, not base64.
    if (input.needsBase64 === true && buffer !== null && lookup.key === null) wanted.acceptsBase64 = true;
    const speak = (limits: CallOptions) => speech.synthesize(wanted, limits);
    const opened = await openSpeech(speak, target.channel.embedded, options).catch((error: unknown) => {
      throw isOfSilentText(error, segments) ? causedByRequest(error) : error;
    });
    opened.idleMs = target.channel.timeouts.idleMs;
    return { opened, ignored: ignoredFields(input, target, speech) };
  };
  const complete =
    buffer === null
      ? undefined
      : async (begun: Awaited<ReturnType<typeof attempt>>) => {
          if (!begun.opened.isEmbedded)
            return { ...begun, opened: await bufferSpeech(ctx, begun.opened, buffer) };
          buffer.release();
          return begun;
        };
  const generation = ctx.services.state.sharedCache?.generation;
  const { opened, ignored } = await withFailover(ctx, plan, meter, attempt, complete);
  const { key } = lookup;
  if (key === null) return { opened, ignored };
  const copy = ctx.services.state.bufferedReplies.copy(ctx.caller.owner.id, MAX_SPEECH_BYTES);
  const store = (speech: Omit<CachedSpeech, "ignored">) =>
    keepSpeech(ctx.services, cacheScope(ctx), key, { ...speech, ignored }, generation);
  return { opened: cacheAtEnd(opened, copy, store), ignored };
}

/** True for a reply without audio to a text of punctuation or symbols: not the channel's failure. */
function isOfSilentText(error: unknown, segments: readonly SpeechSegment[]): error is AppError {
  const hasWords = segments.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
  return !hasWords && hasCode(error, "upstream_invalid");
}

function checkLength(characters: number, { model }: CatalogEntry, asked: string, field: string): void {
  if (model.maxCharacters === null || characters <= model.maxCharacters) return;
  throw new AppError(
    "invalid",
    `'${field}' has ${characters} characters; ${asked} accepts at most ${model.maxCharacters} per request.`,
    { param: field },
  );
}

const NO_DEFAULTS: VoiceNames["defaults"] = new Map();

/**
 * Assigns the text to voices of the model. `defaults`: the voice of each channel, by ID, where the caller and the model
 * name none; else empty.
 */
async function assignVoices(
  ctx: GatewayContext,
  entry: CatalogEntry,
  { voices, parts, model, source }: SpeechInput,
): Promise<{ segments: SpeechSegment[]; defaults: VoiceNames["defaults"] }> {
  const known = await listVoiceNames(ctx.services, entry);
  const field = FIELDS[source.dialect];
  const canonical = (name: string) => canonicalVoice(name, known, { field: field.voice, model });
  if (voices.kind === "single") {
    const { defaultVoice } = entry.model;
    const named = voices.voice === null ? defaultVoice : canonical(voices.voice);
    const voice = named ?? known.names[0];
    // A model without channels has no voices either: its call is refused because it has no channel.
    if (voice === undefined && entry.routes.length > 0) {
      throw new AppError("invalid", `Model ${model} has no default voice; specify one.`, {
        param: field.voice,
      });
    }
    return {
      segments: singleSpeaker(parts, voice ?? ""),
      defaults: named === null ? known.defaults : NO_DEFAULTS,
    };
  }
  const members = voices.speakers.map(({ speaker, voice }) => ({ speaker, voice: canonical(voice) }));
  requireConfigured(parts, members, field.text);
  const segments = await runInSlices(scriptSpeakers(parts, members), ctx.signal);
  if (segments.length === 0) {
    throw new AppError("invalid", `'${field.text}' contains only an instruction; add a line to speak.`, {
      param: field.text,
    });
  }
  return { segments, defaults: NO_DEFAULTS };
}

function toSpeechRequest(input: SpeechInput, segments: SpeechSegment[], target: Target): SpeechRequest {
  return {
    model: target.upstreamName,
    segments,
    ...(input.language === undefined ? {} : { language: input.language }),
    speed: input.speed,
    ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
    source: input.source,
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
