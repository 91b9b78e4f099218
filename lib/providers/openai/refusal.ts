import { readGeminiRefusal } from "../gemini/refusal";
import { asFields, asList, asText, type Fields } from "../outbound/json";
import type { RefusalFacts } from "../outbound/refusal";

/** OpenAI's codes for an account without credit; `Arrearage` is Alibaba's, with 400. */
const BILLING_CODES = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "Arrearage",
]);
/**
 * Codes of OpenAI and Azure for an unknown model; and of OpenAI, Patchbay and LiteLLM, with 403, for a project, key,
 * team or user that may not use the model.
 */
const NO_MODEL = /^(?:model_not_found|DeploymentNotFound|model_not_allowed|[a-z]+_model_access_denied)$/;
/**
 * Errors about an unknown model without a code: vLLM, Ollama, Speaches and OpenRouter send 404; Infinity,
 * Kokoro-FastAPI, fastkokoro, LiteLLM, SiliconFlow and Voyage 400. Anchored, because the caller's text is quoted
 * further on.
 */
const NO_MODEL_WORDS: Readonly<Record<number, RegExp>> = {
  400: /^(?:(?:invalid|unsupported) model(?:: | ')|model does not exist\b|model \S+ is not supported\. supported models |(?:\{'error': ')?(?:\/\S+ )?invalid model name passed in model=)/i,
  404: /^(?:(?:the )?model\b.*(?:does not exist|not found|is not installed)|no endpoints found for )/i,
};
/**
 * OpenAI's 429 for one request above the account's tokens per minute: "Request too large for gpt-4o in organization
 * org-x on tokens per min (TPM): Limit 30000, Requested 31538." llama.cpp's 500: "input (992 tokens) is too large to
 * process. increase the physical batch size".
 */
const TOO_LARGE_WORDS: Readonly<Record<number, RegExp>> = {
  429: /^request too large\b/i,
  500: /^input (?:\(\d+ tokens\) )?is (?:too large to process|larger than the max context size)\b/i,
};
/**
 * Ollama's 500 for a text for which a model returns NaN or an infinity: https://github.com/ollama/ollama/issues/14657.
 */
const NOT_A_NUMBER_WORDS = /^(?:failed to encode response: )?json: unsupported value: (?:NaN|[+-]Inf)\b/;
/** `expired_key` is LiteLLM's, with 400 in many versions. */
const BAD_KEY = new Set(["invalid_api_key", "invalid_authentication", "account_deactivated", "expired_key"]);
/** LiteLLM's name for an error of the upstream behind one of its models. */
const BEHIND_LITELLM = /^litellm\.(\w+): /;

/**
 * LiteLLM has one code for the budget of the caller's `user`, of one model of the key, and of the key, its team or its
 * user.
 */
function budgetFacts(words: string): RefusalFacts {
  if (/^(?:ExceededBudget: |LiteLLM )End User\b/.test(words)) return { words, about: "caller" };
  const isOfModel = words.includes("exceeded budget for model=");
  return { words, about: isOfModel ? "model" : "money", isPrivate: true };
}

/** `{"detail":[{"loc":["body","voice"],"msg":"field required"}]}`, as FastAPI servers send it; Mistral in `message`. */
function detailWords(detail: unknown): string | null {
  if (typeof detail === "string") return asText(detail);
  const inner = asFields(detail);
  if (inner !== null) return asText(inner.message) ?? detailWords(inner.error ?? inner.detail);
  const lines = asList(detail).flatMap((one) => {
    const fields = asFields(one);
    const words = asText(fields?.msg);
    const place = asList(fields?.loc).filter((part) => part !== "body");
    return words === null ? [] : [place.length > 0 ? `${place.join(".")}: ${words}` : words];
  });
  return lines.length > 0 ? lines.join("; ") : null;
}

/** `INVALID_ARGUMENT` and the like: Google's OpenAI endpoint sends the errors of its own API. */
const GOOGLE_STATUS = /^[A-Z_]+$/;

/** The error bodies of OpenAI, and of compatible servers with their own variants. */
export function readOpenAiRefusal(status: number, body: Fields | null): RefusalFacts {
  const error = asFields(body?.error);
  if (GOOGLE_STATUS.test(asText(error?.status) ?? "")) return readGeminiRefusal(status, body);
  // LiteLLM's code is the status, and its type the reason.
  const reasons = [error?.code ?? body?.code, error?.type].map(String);
  const hasOneOf = (names: ReadonlySet<string>) => reasons.some((reason) => names.has(reason));
  const words =
    asText(error?.message) ?? asText(body?.error) ?? detailWords(body?.message) ?? detailWords(body?.detail);
  const [, behind] = BEHIND_LITELLM.exec(words ?? "") ?? [];
  if (behind !== undefined) return { words, about: behind === "NotFoundError" ? "model" : null };
  if (reasons.includes("budget_exceeded")) return budgetFacts(words ?? "");
  if (hasOneOf(BILLING_CODES)) return { words, about: "money" };
  // OpenRouter's moderation of a text: https://openrouter.ai/docs/errors.
  if (status === 403 && asFields(error?.metadata)?.flagged_input !== undefined)
    return { words, about: "caller" };
  if (reasons.some((reason) => NO_MODEL.test(reason)) || NO_MODEL_WORDS[status]?.test(words ?? "") === true)
    return { words, about: "model" };
  // With 400 this is LiteLLM's answer to an unknown key if it has no database; with 503 its database is down.
  const isBadKey = hasOneOf(BAD_KEY) || (status === 400 && reasons.includes("no_db_connection"));
  if (status === 401 || status === 403 || isBadKey) return { words, about: "key" };
  if (status === 402) return { words, about: "money" };
  if (TOO_LARGE_WORDS[status]?.test(words ?? "") === true) return { words, about: "size" };
  if (status === 500 && NOT_A_NUMBER_WORDS.test(words ?? "")) return { words, about: "text" };
  return { words, about: null };
}
