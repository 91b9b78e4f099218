import type { GatewayVoice } from "@/lib/client/gateway-models";

/** Filters of the voice list; null: no filter. */
export interface VoiceFilter {
  search: string;
  gender: GatewayVoice["gender"] | null;
  language: string | null;
  family: GatewayVoice["family"] | null;
}

export const NO_FILTER: VoiceFilter = { search: "", gender: null, language: null, family: null };

/** The voices that match. A voice without languages matches any language. `textOf`: the searched text of a voice. */
export function filterVoices(
  voices: readonly GatewayVoice[],
  { search, gender, language, family }: VoiceFilter,
  textOf: (voice: GatewayVoice) => string,
): GatewayVoice[] {
  const wanted = search.trim().toLocaleLowerCase();
  return voices.filter(
    (one) =>
      (gender === null || one.gender === gender) &&
      (family === null || one.family === family) &&
      (language === null || one.languages.length === 0 || one.languages.includes(language)) &&
      textOf(one).toLocaleLowerCase().includes(wanted),
  );
}

/** A heading of the voice list and its voices. */
export interface VoiceGroup {
  kind: "favourites" | GatewayVoice["family"];
  /** The names are aliases of the upstream's voices. */
  areAliases: boolean;
  voices: GatewayVoice[];
}

const FAMILIES = ["engine", "gemini", "openai"] as const;

/**
 * The groups of a voice list: favourites, the model's own voices, then catalogues whose names are aliases of those
 * voices. Each voice is in one group.
 */
export function groupVoices(
  voices: readonly GatewayVoice[],
  ownFamilies: readonly GatewayVoice["family"][],
  isFavourite: (voice: string) => boolean,
): VoiceGroup[] {
  const isAlias = (family: GatewayVoice["family"]) => family !== "engine" && !ownFamilies.includes(family);
  const rest = voices.filter((one) => !isFavourite(one.name));
  const families = FAMILIES.map((family) => ({
    kind: family,
    areAliases: isAlias(family),
    voices: rest.filter((one) => one.family === family),
  }));
  const groups: VoiceGroup[] = [
    { kind: "favourites", areAliases: false, voices: voices.filter((one) => isFavourite(one.name)) },
    ...families.filter((one) => !one.areAliases),
    ...families.filter((one) => one.areAliases),
  ];
  return groups.filter((one) => one.voices.length > 0);
}

/** The languages of the voices, each once. */
export function languagesOf(voices: readonly GatewayVoice[]): string[] {
  return [...new Set(voices.flatMap((one) => one.languages))];
}

/** The catalogues of the voices, in the order of the list. */
export function familiesOf(voices: readonly GatewayVoice[]): GatewayVoice["family"][] {
  return FAMILIES.filter((family) => voices.some((one) => one.family === family));
}
