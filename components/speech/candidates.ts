/** A voice of a comparison. The same voice name may be offered by several models. */
export interface Candidate {
  model: string;
  voice: string;
}

export const MAX_CANDIDATES = 8;
/** Fewer voices are no comparison. */
export const MIN_CANDIDATES = 2;

const isSameCandidate = (one: Candidate, other: Candidate): boolean =>
  one.model === other.model && one.voice.toLowerCase() === other.voice.toLowerCase();

/** The candidates with one added at the end, or removed where it is one of them. */
export function toggleCandidate(candidates: readonly Candidate[], toggled: Candidate): Candidate[] {
  const rest = candidates.filter((one) => !isSameCandidate(one, toggled));
  if (rest.length < candidates.length) return rest;
  return candidates.length < MAX_CANDIDATES ? [...candidates, toggled] : [...candidates];
}
