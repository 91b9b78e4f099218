import { z } from "zod";
import { ELEVENLABS_SHAPE } from "../../contracts/console/channel-options";
import type { CallOptions, Voice } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { catalogueVoice } from "../embedded-speech/voices";
import { asFields, asList, asText } from "../outbound/json";
import { optionsReader } from "../upstream/channel-options";
import { type UpstreamSettings, withVersion } from "../upstream/provider";
import { readList } from "../upstream/read-list";
import { GEMINI_VOICES, OPENAI_VOICES } from "../upstream-voices/equivalents";
import { type ListedVoice, listKey, listWithAnyKey, type VoiceLists } from "../upstream-voices/voice-list";
import {
  catalogueVoices,
  fallbackVoice,
  findTableVoice,
  listedVoice,
  NO_TABLE,
  NO_VOICES,
  nearestVoice,
} from "../upstream-voices/voice-table";
import { readElevenLabsRefusal } from "./refusal";

export const ELEVENLABS_OPTIONS = optionsReader(z.object(ELEVENLABS_SHAPE));
export const ELEVENLABS_BASE = "https://api.elevenlabs.io/v1";

/** Voice IDs, including those of the public library, which work although they are not in the account's list. */
export const ELEVENLABS_VOICE_ID = /^[A-Za-z0-9]{20}$/;

/** Premade voices that every account has: Sarah, George, and River for other voices. */
const PREMADE: Readonly<Record<Voice["gender"], string>> = {
  female: "EXAVITQu4vr4xnSDxMaL",
  male: "JBFqnCBsd6RMkjVDRZzb",
  neutral: "SAz9YHcvj6GT2YYXdXww",
};

export function elevenLabsBase(channel: ChannelRecord): string {
  return withVersion(channel.baseUrl ?? ELEVENLABS_BASE, "/v1");
}

export function keyHeaders(key: string | null): Record<string, string> {
  return key === null ? {} : { "xi-api-key": key };
}

export function readElevenLabsList(
  settings: UpstreamSettings,
  channel: ChannelRecord,
  path: "/models" | "/voices",
  options: CallOptions,
): Promise<unknown> {
  const { ca } = ELEVENLABS_OPTIONS.of(channel);
  const source = {
    baseUrl: elevenLabsBase(channel),
    headers: keyHeaders,
    readRefusal: readElevenLabsRefusal,
    ca,
  };
  return readList(settings, channel, source, path, options);
}

function readVoice(entry: unknown): ListedVoice | null {
  const fields = asFields(entry);
  const id = asText(fields?.voice_id);
  const name = asText(fields?.name);
  if (id === null || name === null) return null;
  const labels = asFields(fields?.labels);
  const gender = asText(labels?.gender);
  const language = asText(labels?.language);
  // Names have a description after a dash ("Sarah - Mature, Reassuring").
  const [short = name, ...rest] = name.split(/\s[-–—]\s/).map((part) => part.trim());
  return {
    id,
    name: short,
    aliases: short === name ? [id] : [id, name],
    languages: language === null ? [] : [language],
    gender: gender === "female" || gender === "male" ? gender : "neutral",
    description: rest.join(" ") || (asText(labels?.descriptive) ?? asText(labels?.description) ?? ""),
    family: "engine",
  };
}

async function fetchVoices(
  settings: UpstreamSettings,
  channel: ChannelRecord,
  options: CallOptions,
): Promise<ListedVoice[]> {
  const answer = asFields(await readElevenLabsList(settings, channel, "/voices", options));
  return asList(answer?.voices).flatMap((entry) => readVoice(entry) ?? []);
}

/** The account's voices by name, those of the channel's table, and the names of the other catalogues. */
export async function elevenLabsVoices(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
): Promise<readonly Voice[]> {
  const table = ELEVENLABS_OPTIONS.of(channel).voices ?? NO_TABLE;
  const listed = await lists.get(listKey(channel), () =>
    listWithAnyKey(settings, channel, (one, options) => fetchVoices(settings, one, options)),
  );
  if (listed !== null) return catalogueVoices(table, listed, OPENAI_VOICES, GEMINI_VOICES);
  // Without the account's list any name may be an ID.
  return Object.keys(table).length === 0 ? NO_VOICES : catalogueVoices(table, OPENAI_VOICES, GEMINI_VOICES);
}

/**
 * The voice ID for a caller's name: from the table; an account's voice by name or ID; a name that has the form of an
 * ID; the table's `*`; a voice of the same gender for a catalogue name; else the name itself.
 */
export function elevenLabsVoiceFor(lists: VoiceLists, channel: ChannelRecord, name: string): string {
  const table = ELEVENLABS_OPTIONS.of(channel).voices ?? NO_TABLE;
  const listed = lists.peek(listKey(channel)) ?? [];
  const byName = (wanted: string) => listedVoice(listed, wanted)?.id;
  const mapped = findTableVoice(table, name);
  if (mapped !== null) return byName(mapped) ?? mapped;
  const own = byName(name);
  if (own !== undefined) return own;
  if (ELEVENLABS_VOICE_ID.test(name)) return name;
  const any = fallbackVoice(table);
  if (any !== null) return byName(any) ?? any;
  const like = catalogueVoice(name);
  if (like === null) return name;
  return nearestVoice(listed, like)?.id ?? PREMADE[like.gender];
}
