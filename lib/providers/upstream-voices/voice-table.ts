import type { Voice } from "../../ports/speech-model";

/** A channel's own table (`options.voices`) from a caller's voice name to the upstream's; `*` is for any other name. */
export type VoiceTable = Readonly<Record<string, string>>;

const ANY = "*";

/** The table's entry for a name, ignoring case; null when it has none. */
export function findTableVoice(table: VoiceTable, name: string): string | null {
  const wanted = name.toLowerCase();
  const key = Object.keys(table).find((one) => one !== ANY && one.toLowerCase() === wanted);
  return key === undefined ? null : (table[key] ?? null);
}

/** The voice for a name that neither the table nor the upstream knows. */
export function fallbackVoice(table: VoiceTable): string | null {
  return table[ANY] ?? null;
}

/** The names a table adds to an upstream's voices. */
function tableVoices(table: VoiceTable): Voice[] {
  return Object.keys(table)
    .filter((name) => name !== ANY)
    .map((name) => ({ name, languages: [], gender: "neutral", description: "", family: "engine" }));
}

/** For a channel without a table. */
export const NO_TABLE: VoiceTable = {};

/** For a channel whose voices are not known: it takes any name. */
export const NO_VOICES: readonly Voice[] = [];

const JOINED = new WeakMap<VoiceTable, WeakMap<readonly Voice[], readonly Voice[]>>();

/**
 * The voices of a table and of lists, joined. The result is cached by the table and the first list, which determines
 * the others, because every call needs it.
 */
export function catalogueVoices(
  table: VoiceTable,
  first: readonly Voice[],
  ...others: readonly (readonly Voice[])[]
): readonly Voice[] {
  const byFirst = JOINED.get(table) ?? new WeakMap<readonly Voice[], readonly Voice[]>();
  JOINED.set(table, byFirst);
  const joined = byFirst.get(first) ?? joinVoices(tableVoices(table), first, ...others);
  byFirst.set(first, joined);
  return joined;
}

/** Joins lists; each name once (ignoring case) with the aliases of all voices of that name. */
export function joinVoices(...lists: readonly (readonly Voice[])[]): Voice[] {
  const byName = new Map<string, Voice>();
  for (const voice of lists.flat()) {
    const key = voice.name.toLowerCase();
    const known = byName.get(key);
    const aliases = [...(known?.aliases ?? []), ...(voice.aliases ?? [])];
    byName.set(key, { ...(known ?? voice), ...(aliases.length > 0 ? { aliases } : {}) });
  }
  return [...byName.values()];
}

/** The voice in an upstream's list for a caller's ID, name or alias, ignoring case. */
export function listedVoice<V extends Voice & { id: string }>(
  listed: readonly V[],
  wanted: string,
): V | undefined {
  const name = wanted.toLowerCase();
  return (
    listed.find((voice) => voice.id === wanted) ??
    listed.find((voice) => voice.name.toLowerCase() === name) ??
    listed.find((voice) => voice.aliases?.some((alias) => alias.toLowerCase() === name))
  );
}

/**
 * One of an upstream's voices in place of `like`, a voice of another catalogue: always the same for the same name, of
 * its gender if the upstream has such a voice, in English if the upstream lists languages. Null for an empty list.
 */
export function nearestVoice<V extends Voice>(listed: readonly V[], like: Voice | null): V | null {
  const english = listed.filter(({ languages }) => languages.some((tag) => /^en\b/i.test(tag)));
  const pool = english.length > 0 ? english : listed;
  const sameGender = pool.filter(({ gender }) => like !== null && gender === like.gender);
  const choice = sameGender.length > 0 ? sameGender : pool;
  let hash = 0;
  for (const unit of like?.name ?? "") hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % 1_000_003;
  return choice[hash % choice.length] ?? null;
}
