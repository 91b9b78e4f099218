import { readOpenAiRefusal } from "../openai/refusal";
import { asFields, asList, asText, type Fields } from "../outbound/json";
import type { RefusalFacts } from "../outbound/refusal";

const BILLING_CODES = new Set([
  "quota_exceeded",
  "payment_required",
  "subscription_required",
  "insufficient_credits",
]);

const MODEL_CODES = new Set(["model_not_found", "model_access_denied"]);

/** "This request exceeds your quota of 10000. You have 210 credits remaining, while 800 credits are required…". */
const CREDITS_LEFT = /\byou have ([1-9]\d*) credits remaining\b/i;

/**
 * `{"detail":{"code","status","message"}}`, or the list of errors of a request that does not match the schema. `status` is
 * the older field, which may differ from `code`: https://elevenlabs.io/docs/eleven-api/resources/errors. Without
 * `detail`: the error of a relay, in OpenAI's form.
 */
export function readElevenLabsRefusal(status: number, body: Fields | null): RefusalFacts {
  if (body?.detail === undefined) return readOpenAiRefusal(status, body);
  const detail = asFields(body.detail);
  const errors = asList(body.detail).flatMap((one) => asText(asFields(one)?.msg) ?? []);
  const words = asText(detail?.message) ?? asText(body.detail) ?? asText(errors.join("; "));
  const codes = [detail?.code, detail?.status].flatMap((one) => asText(one) ?? []);
  // "Free users cannot use library voices via the API": other voices work, and the caller chose this one.
  const isAboutVoice =
    codes.some((code) => code.startsWith("voice_")) || (status === 402 && /\bvoices?\b/i.test(words ?? ""));
  if (isAboutVoice) return { words, about: "caller" };
  // "Model 'eleven_flash_v2_5' does not support the language_code xx."
  if (codes.includes("unsupported_language")) return { words, about: "language" };
  if (codes.some((code) => MODEL_CODES.has(code))) return { words, about: "model" };
  // An account without credit is reported as 401 too.
  const isAboutMoney = status === 402 || codes.some((code) => BILLING_CODES.has(code));
  if (isAboutMoney) return { words, about: CREDITS_LEFT.test(words ?? "") ? "size" : "money" };
  if (status === 401 || status === 403) return { words, about: "key" };
  return { words, about: null };
}
