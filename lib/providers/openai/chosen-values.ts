import { isAppError } from "../../errors";
import type { ChosenValues, OpenAiForm } from "./options";

/**
 * Errors that state the most texts of one call: from Text Embeddings Inference ("batch size 33 > maximum allowed batch
 * size 32"), Alibaba ("batch size is invalid, it should not be larger than 10") and Google ("at most 100 requests can
 * be in one batch").
 */
const MAX_TEXTS_WORDS =
  /\b(?:maximum allowed batch size |batch size is invalid, it should not be larger than |at most (?=\d+ requests can be in one batch))(\d{1,4})\b/i;
/** Errors about base64: Google's OpenAI endpoint, vLLM before 0.6 and LiteLLM in front of Gemini know only floats. */
const ENCODING_WORDS = /\bencoding_format\b|\bbase64\b/i;
/** Mistral: "user: Extra inputs are not permitted". */
const USER_WORDS = /^user: extra inputs\b/i;
/** Groq: "response_format must be one of [wav]". */
const AUDIO_FORMAT_WORDS = /\bresponse_format\b/;

/**
 * The value to replace in `chosen` after a refusal; null when the refusal is about something else. A form that the
 * operator has set is kept. The message may quote the caller's texts: a limit of texts that one of them contains does
 * not count. A wrong match of the other values does no harm, since a call succeeds with either.
 */
function otherValues(
  words: string,
  texts: readonly string[],
  chosen: ChosenValues,
  { options }: OpenAiForm,
): Partial<ChosenValues> | null {
  const [named = "", limit] = MAX_TEXTS_WORDS.exec(words) ?? [];
  const maxTexts = Number(limit);
  if (maxTexts > 0 && maxTexts < chosen.maxTexts && !texts.some((text) => text.includes(named)))
    return { maxTexts };
  if (chosen.hasUser && USER_WORDS.test(words)) return { hasUser: false };
  if (chosen.encoding === "base64" && options.encoding_format === undefined && ENCODING_WORDS.test(words))
    return { encoding: "float" };
  if (chosen.audioFormat === "pcm" && options.speech_format === undefined && AUDIO_FORMAT_WORDS.test(words))
    return { audioFormat: "wav" };
  return null;
}

/**
 * Makes a call, and repeats it with another value each time the upstream refuses one that Patchbay chose, since the
 * caller's request is not the cause. Values with which a call succeeds are kept for the next calls of the model. Throws
 * the error of `call`.
 */
export async function withAccepted<T>(
  form: OpenAiForm,
  { model, texts }: { model: string; texts: readonly string[] },
  call: (chosen: ChosenValues) => Promise<T>,
): Promise<T> {
  const valuesNow = () => form.accepted.get(model) ?? form.chosen;
  let chosen = valuesNow();
  const changed: Partial<ChosenValues> = {};
  for (;;) {
    try {
      const result = await call(chosen);
      // Only the values that this call replaced are changed: a concurrent call may have replaced others.
      if (Object.keys(changed).length > 0) form.accepted.set(model, { ...valuesNow(), ...changed });
      return result;
    } catch (error) {
      if (!isAppError(error) || error.code !== "invalid") throw error;
      const other = otherValues(error.message, texts, chosen, form);
      if (other === null) throw error;
      Object.assign(changed, other);
      chosen = { ...chosen, ...other };
    }
  }
}
