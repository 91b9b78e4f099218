import { asFields, asList, type Fields } from "../outbound/json";

/**
 * The candidate of a message whose audio is used: of several (`candidateCount`) the one with index 0. Null for a
 * message without that candidate, since each message of a stream belongs to one candidate.
 */
export function usedCandidate(message: Fields): Fields | null {
  const candidates = asList(message.candidates).map(asFields);
  return candidates.find((candidate) => candidate !== null && (candidate.index ?? 0) === 0) ?? null;
}
