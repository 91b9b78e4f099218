import { isAppError } from "../../errors";
import type { ChosenValues, OpenAiForm } from "./options";

/**
 * Text Embeddings Inference ("batch size 33 > maximum allowed batch size 32"), Alibaba ("batch size is invalid, it should
 * not be larger than 10") and Google ("at most 100 requests can be in one batch").
 */
const MAX_TEXTS_WORDS =
  /\b(?:maximum allowed batch size |batch size is invalid, it should not be larger than |at most (?=\d+ requests can be in one batch))(\d{1,4})\b/i;
/** Google's OpenAI endpoint, vLLM before 0.6 and LiteLLM in front of Gemini know only floats. */
const ENCODING_WORDS = /\bencoding_format\b|\bbase64\b/i;
/** Mistral: "user: Extra inputs are not permitted". */
const USER_WORDS = /^user: extra inputs\b/i;
/** Groq: "response_format must be one of [wav]". */
const AUDIO_FORMAT_WORDS = /\bresponse_format\b/;

/** The values to try after a refusal; null when it is about something else. An operator's own choice of a form is kept. */
function otherValues(refusal: Refusal, chosen: ChosenValues, { options }: OpenAiForm): ChosenValues | null {
  const maxTexts = Number(refusal.match(MAX_TEXTS_WORDS)?.[1]);
  if (maxTexts > 0 && maxTexts < chosen.maxTexts) return { ...chosen, maxTexts };
  if (chosen.hasUser && refusal.match(USER_WORDS)) return { ...chosen, hasUser: false };
  if (chosen.encoding === "base64" && options.encoding_format === undefined && refusal.match(ENCODING_WORDS))
    return { ...chosen, encoding: "float" };
  if (
    chosen.audioFormat === "pcm" &&
    options.speech_format === undefined &&
    refusal.match(AUDIO_FORMAT_WORDS)
  )
    return { ...chosen, audioFormat: "wav" };
  return null;
}

/** The message of a refusal, in which words that the caller's texts have too may be quoted. */
class Refusal {
  constructor(
    private readonly message: string,
    private readonly texts: readonly string[],
  ) {}

  match(words: RegExp): RegExpExecArray | null {
    const found = words.exec(this.message);
    return found === null || this.texts.some((text) => text.includes(found[0])) ? null : found;
  }
}

/**
 * Makes a call, and again with another value after the upstream has refused one that we chose, since the caller's request
 * is not the cause. Values with which a call succeeds are kept for the next calls of the model. Throws the error of `call`.
 */
export async function withAccepted<T>(
  form: OpenAiForm,
  { model, texts }: { model: string; texts: readonly string[] },
  call: (chosen: ChosenValues) => Promise<T>,
): Promise<T> {
  const before = form.accepted.get(model) ?? form.chosen;
  let chosen = before;
  for (;;) {
    try {
      const result = await call(chosen);
      // Not for each call: one that began before the refusal of another would undo what that one found.
      if (chosen !== before) form.accepted.set(model, chosen);
      return result;
    } catch (error) {
      if (!isAppError(error) || error.code !== "invalid") throw error;
      const other = otherValues(new Refusal(error.message, texts), chosen, form);
      if (other === null) throw error;
      chosen = other;
    }
  }
}
