import { asFields, asList, asText, type Fields } from "../outbound/json";

/**
 * The candidate of a message whose audio is used: of several (`candidateCount`) the one with index 0. Null for a
 * message without that candidate, since each message of a stream belongs to one candidate.
 */
export function usedCandidate(message: Fields): Fields | null {
  const candidates = asList(message.candidates).map(asFields);
  return candidates.find((candidate) => candidate !== null && (candidate.index ?? 0) === 0) ?? null;
}

/** The parts of the used candidate of a message. */
export function usedParts(message: Fields): readonly unknown[] {
  return asList(asFields(usedCandidate(message)?.content)?.parts);
}

/** The `inlineData` of a part; null for a part without. */
export function blobOf(part: unknown): Fields | null {
  const fields = asFields(part);
  return asFields(fields?.inlineData) ?? asFields(fields?.inline_data);
}

export function mediaTypeOf(blob: Fields): string {
  return asText(blob.mimeType) ?? asText(blob.mime_type) ?? "";
}
