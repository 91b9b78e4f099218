import { asFields, asList, type Fields } from "../outbound/json";

/**
 * The candidate of a message that is used: of several (`candidateCount`) the one with index 0. Null where the message has
 * none of it: the messages of a stream belong to one candidate each.
 */
export function usedCandidate(message: Fields): Fields | null {
  const candidates = asList(message.candidates).map(asFields);
  return candidates.find((candidate) => candidate !== null && (candidate.index ?? 0) === 0) ?? null;
}
