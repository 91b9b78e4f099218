/** A voice of a comparison. The same voice name may be offered by several models. */
export interface Candidate {
  model: string;
  voice: string;
}

export const MAX_CANDIDATES = 8;
/** A comparison needs at least this many voices. */
export const MIN_CANDIDATES = 2;

const isSameCandidate = (one: Candidate, other: Candidate): boolean =>
  one.model === other.model && one.voice.toLowerCase() === other.voice.toLowerCase();

/** Adds a candidate at the end, or removes it if it is in the list. A full list is returned unchanged. */
export function toggleCandidate(candidates: readonly Candidate[], toggled: Candidate): Candidate[] {
  const rest = candidates.filter((one) => !isSameCandidate(one, toggled));
  if (rest.length < candidates.length) return rest;
  return candidates.length < MAX_CANDIDATES ? [...candidates, toggled] : [...candidates];
}
