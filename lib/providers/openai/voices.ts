import type { CallOptions, Voice } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { catalogueVoice } from "../embedded-speech/voices";
import { asFields, asList, asText } from "../outbound/json";
import type { UpstreamSettings } from "../upstream/provider";
import { readList } from "../upstream/read-list";
import { GEMINI_VOICES, OPENAI_VOICES, openaiEquivalent } from "../upstream-voices/equivalents";
import { KOKORO_PREFIX, readKokoroName } from "../upstream-voices/kokoro-names";
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
import { formOf, type OpenAiForm } from "./options";
import { readOpenAiRefusal } from "./refusal";

/** A custom voice of an OpenAI account, sent as `{id}` and not in any list (API reference, create speech). */
export const OPENAI_VOICE_ID = /^voice_[A-Za-z0-9_-]{1,100}$/;

export function listSourceOf({ baseUrl, headers, options: { ca } }: OpenAiForm) {
  return { baseUrl, headers, readRefusal: readOpenAiRefusal, ca };
}

/** One entry of a list: a name, or fields under the names that common servers use. */
function readVoice(entry: unknown): ListedVoice | null {
  const fields = asFields(entry);
  const id = asText(entry) ?? asText(fields?.id) ?? asText(fields?.voice_id) ?? asText(fields?.name);
  if (id === null || id.length > 200) return null;
  const named = readKokoroName(id);
  const shown = asText(fields?.name);
  const language = asText(fields?.language) ?? named?.language;
  const gender = fields?.gender === "female" || fields?.gender === "male" ? fields.gender : named?.gender;
  return {
    id,
    name: id,
    ...(shown === null || shown === id ? {} : { aliases: [shown] }),
    languages: language === undefined ? [] : [language],
    gender: gender ?? "neutral",
    description: shown === id ? "" : (shown ?? ""),
    family: "engine",
  };
}

/** `GET /audio/voices`, which OpenAI lacks and most compatible servers have. Null: no list. */
async function fetchVoices(
  settings: UpstreamSettings,
  channel: ChannelRecord,
  options: CallOptions,
): Promise<ListedVoice[] | null> {
  const source = listSourceOf(formOf(channel));
  const answer = await readList(settings, channel, source, "/audio/voices", options);
  const fields = asFields(answer);
  const entries = asList(Array.isArray(answer) ? answer : (fields?.voices ?? fields?.data));
  const voices = entries.flatMap((entry) => readVoice(entry) ?? []);
  return voices.length > 0 ? voices : null;
}

function fetchWithAnyKey(
  settings: UpstreamSettings,
  channel: ChannelRecord,
): Promise<readonly ListedVoice[] | null> {
  return listWithAnyKey(settings, channel, (one, options) => fetchVoices(settings, one, options));
}

/**
 * The names that callers may use: those of the channel's table, then the upstream's list; at OpenAI its 13 and Gemini's
 * 30, which have equivalents. Empty where neither is known: the upstream takes names that only it knows.
 */
export async function openAiVoices(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
): Promise<readonly Voice[]> {
  const form = formOf(channel);
  const table = form.options.voices ?? NO_TABLE;
  const listed = form.hasVoiceList
    ? await lists.get(listKey(channel), () => fetchWithAnyKey(settings, channel))
    : null;
  if (listed !== null) return catalogueVoices(table, listed, OPENAI_VOICES, GEMINI_VOICES);
  const isKnown = form.isOpenAi || Object.keys(table).length > 0;
  return isKnown ? catalogueVoices(table, OPENAI_VOICES, GEMINI_VOICES) : NO_VOICES;
}

/**
 * The name to send for a caller's name: from the table; the name itself if the upstream lists it (also in Kokoro's
 * form, `af_kore`); the table's `*`; a listed equivalent; a listed voice of the same gender. Without a list: from the
 * table, the table's `*`, OpenAI's equivalent, or the name itself.
 */
export function openAiVoiceFor(lists: VoiceLists, channel: ChannelRecord, name: string): string {
  const table = formOf(channel).options.voices ?? {};
  const reported = findTableVoice(table, name);
  if (reported !== null) return reported;
  const listed = lists.peek(listKey(channel));
  const equivalent = openaiEquivalent(name);
  if (listed === null) return fallbackVoice(table) ?? equivalent ?? name;
  const find = (wanted: string | null) =>
    listed.find(
      ({ id }) => wanted !== null && id.toLowerCase().replace(KOKORO_PREFIX, "") === wanted.toLowerCase(),
    );
  const own = listedVoice(listed, name) ?? find(name);
  const chosen = own ?? (fallbackVoice(table) === null ? find(equivalent) : undefined);
  return chosen?.id ?? fallbackVoice(table) ?? nearestVoice(listed, catalogueVoice(name))?.id ?? name;
}

/**
 * Another voice for a catalogue name that the upstream refused. A server that is loading or busy returns no voice list,
 * so OpenAI's name of the voice was sent, which the server may not know. Requests the list again; null when it has no
 * other voice for the name.
 */
export async function otherOpenAiVoice(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
  { name, refused }: { name: string; refused: string },
): Promise<string | null> {
  if (catalogueVoice(name) === null) return null;
  await lists.retry(listKey(channel), () => fetchWithAnyKey(settings, channel));
  const voice = openAiVoiceFor(lists, channel, name);
  return voice === refused ? null : voice;
}
