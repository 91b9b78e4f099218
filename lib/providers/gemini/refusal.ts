import { asFields, asList, asText, type Fields } from "../outbound/json";
import { type RefusalFacts, readDuration } from "../outbound/refusal";

const BAD_KEY = /^(?:API_KEY_INVALID|API_KEY_SERVICE_BLOCKED|ACCESS_TOKEN_EXPIRED|CREDENTIALS_MISSING)$/;

/** Anchored, because other messages quote names that the caller sent. */
const BAD_KEY_WORDS = /^API key (?:not valid|expired|not found)/i;

/**
 * Errors about something that the request names, whatever their status: "CachedContent not found (or permission denied)",
 * "You do not have permission to access the File abc or it may not exist.", "The File abc is not in an ACTIVE state and
 * usage is not allowed."
 */
const NAMED_BY_CALLER =
  /^(?:CachedContent\b|You do not have permission to access the \w+ \S+ or it may not exist|The File \S+ is not in an ACTIVE state)/;

/**
 * "models/x is not found for API version v1beta, or is not supported for …", "This model models/x is no longer available to
 * new users."
 */
const NO_MODEL_WORDS =
  /^(?:(?:models|tunedModels)\/\S+ is not (?:found|supported)|This model (?:models\/\S+ )?is no longer available)/;

/**
 * "Model tried to generate text, but it should only be used for TTS.": an answer to the text instead of its reading. The
 * same request often succeeds, so Google advises to repeat it (https://ai.google.dev/gemini-api/docs/speech-generation).
 */
const TEXT_MODEL_WORDS = /^Model tried to generate text\b/i;

/**
 * Google's error body (`google.rpc.Status` as JSON). A bad key is a 400 and recognised by its `ErrorInfo`; the wait is
 * in `RetryInfo`, not in a header.
 */
export function readGeminiRefusal(status: number, body: Fields | null): RefusalFacts {
  const error = asFields(body?.error);
  const words = asText(error?.message);
  const details = asList(error?.details).map((one) => asFields(one) ?? {});
  const isBadKey =
    details.some(({ reason }) => typeof reason === "string" && BAD_KEY.test(reason)) ||
    BAD_KEY_WORDS.test(words ?? "");
  if (NAMED_BY_CALLER.test(words ?? "")) return { words, about: "caller" };
  if (isBadKey || status === 401 || status === 403) return { words, about: "key" };
  // Billing is off, or a country is not served: the caller cannot fix these by changing the request.
  if (error?.status === "FAILED_PRECONDITION") return { words, about: "money" };
  if (status === 400 && TEXT_MODEL_WORDS.test(words ?? "")) return { words, about: "text" };
  if (status === 404 && NO_MODEL_WORDS.test(words ?? "")) return { words, about: "model" };
  const retryAfterMs = details
    .map(({ retryDelay }) => readDuration(retryDelay))
    .find((ms) => ms !== undefined);
  return { words, about: null, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
