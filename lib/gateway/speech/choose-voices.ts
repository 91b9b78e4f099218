import type { VoiceEntry } from "../../contracts/gateway/models";
import { AppError } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import { runInSlices } from "../../ports/run-in-slices";
import type { SpeechSegment, Voice } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { mayUseModel } from "../admission/resolve-model";
import type { GatewayContext, GatewayServices } from "../context";
import { requireConfigured, type SpokenPart, scriptSpeakers, singleSpeaker } from "./script-speakers";

/** `voice` null: the default voice of the model. */
export type AskedVoices =
  | { kind: "single"; voice: string | null }
  | { kind: "script"; speakers: { speaker: string; voice: string }[] };

export interface AssignedVoices {
  segments: SpeechSegment[];
  /** The voice of each channel, by ID, where the caller and the model name none; else empty. */
  defaults: ReadonlyMap<string, string>;
}

/** The voices of a model over all channels that serve it. */
interface VoiceNames {
  names: readonly string[];
  /** IDs and alternative names of the same voices. */
  aliases: readonly string[];
  /** Patterns of voice IDs that a channel accepts without listing them. */
  ids: readonly RegExp[];
  /**
   * The voice of each channel, by ID, for a caller who names no voice of a model without a default voice: the model's
   * first voice where the channel has it, else the channel's first. Lacks the channels that cannot list their voices
   * now.
   */
  defaults: ReadonlyMap<string, string>;
  /** True when a channel accepts names that it does not list, and for a model without a channel to ask. */
  acceptsAnyName: boolean;
}

/** The voices of each channel of the model, in order; empty for a channel that cannot list them now. */
function voicesByRoute(services: GatewayServices, entry: CatalogEntry): Promise<(readonly Voice[])[]> {
  return Promise.all(
    entry.routes.map(async ({ channel, upstreamName }) => {
      try {
        return await services.providers.speech(channel).voices(upstreamName);
      } catch (error) {
        services.log.warn("voices_unknown", { channel: channel.id, cause: error });
        return [];
      }
    }),
  );
}

/**
 * The pattern of a channel's voice IDs; empty when its provider cannot be created, which `voicesByRoute` has logged.
 */
function voiceIdPatterns(services: GatewayServices, channel: ChannelRecord): readonly RegExp[] {
  try {
    const { voiceId } = services.providers.speech(channel);
    return voiceId === undefined ? [] : [voiceId];
  } catch {
    return [];
  }
}

/**
 * The voice names of each model, and the voice lists that they were made from. They are made again only when a channel
 * returns another list.
 */
const NAMES = new WeakMap<CatalogEntry, { lists: readonly (readonly Voice[])[]; names: VoiceNames }>();

/**
 * The voices of all channels of the model. A channel that cannot list them now accepts any name; so does a model
 * without channels, whose call fails for that reason.
 */
export async function listVoiceNames(services: GatewayServices, entry: CatalogEntry): Promise<VoiceNames> {
  const lists = await voicesByRoute(services, entry);
  const known = NAMES.get(entry);
  if (known !== undefined && lists.every((list, at) => list === known.lists[at])) return known.names;
  const all = [...new Set(lists.flatMap((voices) => voices.map((voice) => voice.name)))];
  const names: VoiceNames = {
    names: all,
    aliases: [...new Set(lists.flatMap((voices) => voices.flatMap((voice) => voice.aliases ?? [])))],
    ids: entry.routes.flatMap(({ channel }) => voiceIdPatterns(services, channel)),
    defaults: defaultVoices(entry, lists, all[0] ?? ""),
    acceptsAnyName: lists.length === 0 || lists.some((voices) => voices.length === 0),
  };
  NAMES.set(entry, { lists, names });
  return names;
}

function defaultVoices(
  { routes }: CatalogEntry,
  lists: readonly (readonly Voice[])[],
  wanted: string,
): ReadonlyMap<string, string> {
  return new Map(
    routes.flatMap(({ channel }, at) => {
      const voices = lists[at] ?? [];
      const hasWanted = findIgnoringCase(
        wanted,
        voices.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
      );
      const voice = hasWanted ?? voices[0]?.name;
      return voice === undefined ? [] : [[channel.id, voice]];
    }),
  );
}

/** The entry equal to `asked`, exactly or else without regard to case. */
function findIgnoringCase(asked: string, names: readonly string[]): string | undefined {
  const wanted = asked.toLowerCase();
  return names.find((name) => name === asked) ?? names.find((name) => name.toLowerCase() === wanted);
}

/** The name or ID as the model's channels list it, found without regard to case. */
function findVoice(asked: string, voices: VoiceNames): string | undefined {
  return findIgnoringCase(asked, voices.names) ?? findIgnoringCase(asked, voices.aliases);
}

/** What messages about a voice name: its field in the caller's dialect, and the model as the caller named it. */
interface AskedFor {
  field: string;
  model: string;
}

/**
 * The message about a voice that no channel of the model has, with the nearest name; null when a channel may have it.
 */
export function unknownVoice(asked: string, voices: VoiceNames, { field, model }: AskedFor): string | null {
  if (voices.acceptsAnyName || findVoice(asked, voices) !== undefined) return null;
  if (voices.ids.some((form) => form.test(asked))) return null;
  const near = nearestName(asked, voices.names);
  const hint = near === null ? "GET /v1/audio/voices lists them" : `did you mean '${near}'?`;
  return `${field} '${asked.slice(0, 100)}' is not a voice of model ${model}; ${hint}`;
}

/** The name or ID as the model's channels write it. Throws `invalid` for an unknown one. */
export function canonicalVoice(asked: string, voices: VoiceNames, about: AskedFor): string {
  const problem = unknownVoice(asked, voices, about);
  if (problem !== null) throw new AppError("invalid", problem, { param: about.field });
  return findVoice(asked, voices) ?? asked;
}

/** Longest name with a hint: comparing long names with thousands of voices would take seconds. */
const MAX_HINTED = 64;

/**
 * The known name nearest to `typed`: an edit distance of at most a third of its length, without regard to case. Null
 * when no name is near.
 */
export function nearestName(typed: string, names: readonly string[]): string | null {
  if (typed.length > MAX_HINTED) return null;
  const maxDistance = Math.max(1, Math.floor(typed.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) > maxDistance) continue;
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance <= maxDistance && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours from `a` to `b` (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}

const NO_DEFAULTS: AssignedVoices["defaults"] = new Map();

/**
 * Assigns the text to voices of the model. `field`: the names of the voice and text fields in the caller's dialect.
 * Throws `invalid` for an unknown voice, a speaker without one, or a script without a line to speak.
 */
export async function assignVoices(
  ctx: GatewayContext,
  entry: CatalogEntry,
  { voices, parts, model }: { voices: AskedVoices; parts: SpokenPart[]; model: string },
  field: { voice: string; text: string },
): Promise<AssignedVoices> {
  const known = await listVoiceNames(ctx.services, entry);
  const canonical = (name: string) => canonicalVoice(name, known, { field: field.voice, model });
  if (voices.kind === "single") {
    const { defaultVoice } = entry.model;
    // A default that no channel lists is left to the upstream: the caller did not name it.
    const byDefault = defaultVoice === null ? null : (findVoice(defaultVoice, known) ?? defaultVoice);
    const named = voices.voice === null ? byDefault : canonical(voices.voice);
    const voice = named ?? known.names[0];
    // A model without channels has no voices either: its call is refused because it has no channel.
    if (voice === undefined && entry.routes.length > 0) {
      throw new AppError("invalid", `Model ${model} has no default voice; specify one.`, {
        param: field.voice,
      });
    }
    const defaults = named === null ? known.defaults : NO_DEFAULTS;
    return { segments: singleSpeaker(parts, voice ?? ""), defaults };
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

/**
 * The voices of the speech models this key may use, each once, with its models. A name that means different voices
 * (another language, gender or catalogue) is listed once for each.
 */
export async function listVoices(ctx: GatewayContext): Promise<VoiceEntry[]> {
  const voices = new Map<string, VoiceEntry>();
  for (const entry of await ctx.services.catalog.all()) {
    const { model } = entry;
    if (model.operation !== "speech" || !mayUseModel(ctx.caller.key, model)) continue;
    const lists = await voicesByRoute(ctx.services, entry);
    for (const { name, languages, gender, description, family } of lists.flat()) {
      const identity = JSON.stringify([name, languages, gender, description, family]);
      const known = voices.get(identity) ?? {
        id: name,
        name,
        languages,
        gender,
        description,
        family,
        models: [],
      };
      if (!known.models.includes(model.name)) known.models.push(model.name);
      voices.set(identity, known);
    }
  }
  return [...voices.values()];
}
