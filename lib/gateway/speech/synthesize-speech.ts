import { codePoints } from "../../contracts/text";
import { AppError, hasCode } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import { runInTurns } from "../../ports/run-in-turns";
import type { CallOptions, SpeechModel, SpeechRequest, SpeechSegment } from "../../ports/speech-model";
import { resolveModel } from "../admission/resolve-model";
import type { CallPlan, Meter, Target } from "../call";
import type { GatewayContext } from "../context";
import { countText } from "../embeddings/count-inputs";
import { cacheScope } from "../embeddings/vector-cache";
import { openMeter } from "../metering/open-meter";
import { failedOutcome } from "../metering/outcome";
import { withFailover } from "../routing/with-failover";
import { canonicalVoice, listVoiceNames } from "./choose-voices";
import type { HeldSpeech } from "./held-replies";
import { holdSpeech } from "./hold-speech";
import type { OpenedSpeech } from "./opened-speech";
import { type SpokenPart, scriptSpeakers, singleSpeaker } from "./script-speakers";
import { type KeptSpeech, recorded, replay, speechKey } from "./speech-cache";
import { longestSpeechSeconds, measureAudio, worstSpeechCostNano } from "./speech-cost";
import { meteredSpeech, openSpeech, type SpokenEvent } from "./speech-stream";

export interface SpeechInput {
  model: string;
  parts: SpokenPart[];
  /** `voice` null: the model's default. */
  cast:
    | { kind: "single"; voice: string | null }
    | { kind: "script"; speakers: { speaker: string; voice: string }[] };
  language?: string;
  /** 0.25–4; 1 is natural. */
  speed: number;
  instructions?: string;
  user: string | null;
  source: { dialect: "gemini" | "openai"; body: Readonly<Record<string, unknown>> };
  /**
   * The reply is one whole to its dialect, so that it must not begin before an upstream's audio is complete (DESIGN §4).
   * What a built-in engine speaks begins at once all the same.
   */
  isReplyWhole?: boolean;
  /** Fields sent that only an upstream of the same dialect can follow; named in the reply when it was another. */
  dialectFields: readonly string[];
}

export interface SpeechCall {
  /** Ends with `end` after the usage row is on disk; `return()` is the caller leaving, `throw(error)` our failing. */
  events: AsyncIterableIterator<SpokenEvent>;
  inputTokens: number;
  /** Of all its audio; null where that is not known before it is read. */
  totalBytes: number | null;
  /** Of the reply: `x-patchbay-channel`, `-attempts`, `-overhead-ms`, `-ignored`. */
  headers(): Record<string, string>;
}

/** What each dialect calls the voice and the text, for messages and `param`. */
const FIELDS = {
  gemini: { voice: "voiceName", text: "contents" },
  openai: { voice: "voice", text: "input" },
} as const;

/**
 * Speaks a text: checks it against the model, reserves its worst cost, and resolves when the first audio is there (all of
 * an upstream's where the reply is one whole), so that a failure before it still has a status of its own. Throws AppError: `model_not_found`, `model_not_allowed`,
 * `invalid` (empty or long text, unknown voice, another kind of model), `insufficient_quota`, `rate_limited`,
 * `no_channel_available`, `overloaded`, `upstream_*`, `caller_left`.
 */
export async function synthesizeSpeech(ctx: GatewayContext, input: SpeechInput): Promise<SpeechCall> {
  const text = input.parts.map((part) => part.text).join("\n");
  const field = FIELDS[input.source.dialect];
  if (text.trim() === "") {
    throw new AppError("invalid", `'${field.text}' holds no words to speak.`, { param: field.text });
  }
  const entry = await resolveModel(ctx, input.model, "speech");
  const characters = codePoints(text);
  checkLength(characters, entry, input.model, field.text);
  const segments = await castVoices(ctx, entry, input);
  const inputTokens = await countText(ctx, text);

  const lookup = lookUp(ctx, entry, input);
  const plan: CallPlan = {
    entry,
    operation: "speech",
    askedModel: input.model,
    inputTokens,
    characters,
    reservedNano:
      lookup.known === undefined
        ? worstSpeechCostNano(entry.model, { inputTokens, characters, speed: input.speed })
        : 0,
    user: input.user,
    leavesOpenRow: lookup.known === undefined,
    words: () => text,
    ...(lookup.state === null ? {} : { cache: lookup.state }),
  };
  const meter = await openMeter(ctx, plan);
  let held: HeldSpeech | null = null;
  try {
    if (mustHold(input, entry) && lookup.known === undefined)
      held = ctx.services.state.holding.enter(
        ctx.services,
        ctx.caller.owner.id,
        longestSpeechSeconds(entry.model, { characters, speed: input.speed }),
      );
    const { opened, ignored } = await openCall(ctx, { input, segments, plan, meter, lookup, held });
    return {
      totalBytes: opened.totalBytes ?? null,
      events: meteredSpeech(ctx, meter, opened, inputTokens),
      inputTokens,
      headers: () => ({
        ...meter.headers(),
        ...(ignored.length > 0 ? { "x-patchbay-ignored": ignored.join(", ") } : {}),
      }),
    };
  } catch (error) {
    // A caller who leaves while its reply is held has had that much made for it; for any other error it got nothing.
    const made = held !== null && hasCode(error, "caller_left") ? held.bytes : 0;
    held?.release();
    await meter.settle(failedOutcome(error, made > 0 ? { inputTokens, ...measureAudio(made) } : {}));
    throw error;
  }
}

function mustHold(input: SpeechInput, { routes }: CatalogEntry): boolean {
  return input.isReplyWhole === true && routes.some(({ channel }) => !channel.embedded);
}

interface Lookup {
  state: "hit" | "miss" | "bypass" | null;
  known: KeptSpeech | undefined;
  key: string | null;
}

function lookUp(ctx: GatewayContext, entry: CatalogEntry, input: SpeechInput): Lookup {
  if (!entry.model.cacheable || !ctx.services.state.speeches.isOn)
    return { state: null, known: undefined, key: null };
  if (ctx.isNoStore) return { state: "bypass", known: undefined, key: null };
  const key = speechKey(cacheScope(ctx), entry, input.source);
  const known = ctx.services.state.speeches.get(key);
  ctx.services.metrics.count(known === undefined ? "cache_misses" : "cache_hits");
  return { state: known === undefined ? "miss" : "hit", known, key };
}

/** The speech from the cache, or from the first channel that gives sound. */
async function openCall(
  ctx: GatewayContext,
  call: {
    input: SpeechInput;
    segments: SpeechSegment[];
    plan: CallPlan;
    meter: Meter;
    lookup: Lookup;
    held: HeldSpeech | null;
  },
): Promise<{ opened: OpenedSpeech; ignored: readonly string[] }> {
  const { input, segments, plan, meter, lookup, held } = call;
  if (lookup.known !== undefined) {
    meter.firstByte();
    return { opened: replay(lookup.known), ignored: lookup.known.ignored };
  }
  const attempt = async (target: Target, options: CallOptions) => {
    const speech = ctx.services.providers.speech(target.channel);
    const wanted = request(input, segments, target);
    const speak = (signal: AbortSignal) => speech.synthesize(wanted, { ...options, signal });
    const opened = await openSpeech(speak, target.channel.embedded, options.signal);
    return { opened, ignored: ignoredFields(input, target, speech) };
  };
  const complete =
    held === null
      ? undefined
      : async (begun: Awaited<ReturnType<typeof attempt>>) => {
          if (!begun.opened.isEmbedded)
            return { ...begun, opened: await holdSpeech(ctx, begun.opened, held) };
          held.release();
          return begun;
        };
  const { opened, ignored } = await withFailover(ctx, plan, meter, attempt, complete);
  const { key } = lookup;
  if (key === null) return { opened, ignored };
  const { speeches } = ctx.services.state;
  return { opened: recorded(opened, (speech) => speeches.put(key, { ...speech, ignored })), ignored };
}

function checkLength(characters: number, { model }: CatalogEntry, asked: string, field: string): void {
  if (model.maxCharacters === null || characters <= model.maxCharacters) return;
  throw new AppError(
    "invalid",
    `'${field}' has ${characters} characters; ${asked} speaks at most ${model.maxCharacters} in one call.`,
    { param: field },
  );
}

/** The text dealt out to voices of the model. */
async function castVoices(
  ctx: GatewayContext,
  entry: CatalogEntry,
  { cast, parts, model, source }: SpeechInput,
): Promise<SpeechSegment[]> {
  const voices = await listVoiceNames(ctx.services, entry);
  const field = FIELDS[source.dialect];
  const canonical = (name: string) => canonicalVoice(name, voices, { field: field.voice, model });
  if (cast.kind === "single") {
    const voice = cast.voice === null ? (entry.model.defaultVoice ?? voices.names[0]) : canonical(cast.voice);
    if (voice === undefined) {
      throw new AppError("invalid", `Model ${model} has no default voice; name one.`, { param: field.voice });
    }
    return singleSpeaker(parts, voice);
  }
  const members = cast.speakers.map(({ speaker, voice }) => ({ speaker, voice: canonical(voice) }));
  const stranger = parts.find(
    ({ speaker }) =>
      speaker !== undefined && !members.some((one) => one.speaker.toLowerCase() === speaker.toLowerCase()),
  );
  if (stranger) {
    throw new AppError(
      "invalid",
      `speechMetadata.speaker '${stranger.speaker}' is none of the speakers configured.`,
      {
        param: field.text,
      },
    );
  }
  const segments = await runInTurns(scriptSpeakers(parts, members), ctx.signal);
  if (segments.length === 0) {
    throw new AppError("invalid", `'${field.text}' holds no line to speak besides its instruction.`, {
      param: field.text,
    });
  }
  return segments;
}

function request(input: SpeechInput, segments: SpeechSegment[], target: Target): SpeechRequest {
  return {
    model: target.upstreamName,
    segments,
    ...(input.language === undefined ? {} : { language: input.language }),
    speed: input.speed,
    ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
    source: input.source,
  };
}

/** What the channel that served could not follow: a provider of the caller's own dialect takes all. */
function ignoredFields(input: SpeechInput, { channel }: Target, model: SpeechModel): readonly string[] {
  if (channel.provider === input.source.dialect) return [];
  return input.dialectFields.filter((field) => !model.carries?.includes(field));
}
