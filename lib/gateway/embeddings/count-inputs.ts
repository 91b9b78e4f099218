import { MAX_TOKENS_PER_REQUEST } from "../../contracts/gateway/openai/embeddings";
import { AppError, inputTooLong } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import type { TokenCounter } from "../../ports/embedding-model";
import { runInSlices } from "../../ports/run-in-slices";
import type { StopSignal } from "../../ports/stop-signal";
import type { GatewayServices } from "../context";

export interface EmbeddingInput {
  /** Not empty. */
  text: string;
  /** Number of cl100k_base token IDs, for an input sent as token IDs. */
  tokens?: number;
}

/** Texts above this number of characters are counted in steps. */
const MAX_SINGLE_STEP_LENGTH = 4_096;

interface Counter {
  services: Pick<GatewayServices, "countTokens" | "countTokensInSteps">;
  signal: StopSignal;
  /** The model's own counter; absent: cl100k_base. */
  own?: TokenCounter | undefined;
}

/** The counter of a model that a built-in engine with its own vocabulary serves; undefined for all others. */
export function modelTokenCounter(
  { providers }: Pick<GatewayServices, "providers">,
  { model, routes }: CatalogEntry,
): TokenCounter | undefined {
  const [route] = routes;
  if (model.operation !== "embeddings" || route === undefined || !route.channel.embedded) return undefined;
  return providers.embedding(route.channel).tokens;
}

function* countCl100kInSteps(
  ctx: Pick<Counter, "services">,
  text: string,
  limit?: number,
): Generator<void, number, void> {
  if (text.length <= MAX_SINGLE_STEP_LENGTH) return ctx.services.countTokens(text, limit);
  return yield* ctx.services.countTokensInSteps(text, limit);
}

/** Tokens of one text of any length, without blocking other calls. Throws `caller_left`. */
export async function countText(ctx: Counter, text: string): Promise<number> {
  if (ctx.own !== undefined) return runInSlices(ctx.own.countInSteps(text), ctx.signal);
  if (text.length <= MAX_SINGLE_STEP_LENGTH) return ctx.services.countTokens(text);
  return runInSlices(ctx.services.countTokensInSteps(text), ctx.signal);
}

export function tooManyTokens(): AppError {
  return new AppError(
    "invalid",
    `The inputs have more than ${MAX_TOKENS_PER_REQUEST} tokens in all. Please send fewer in one request.`,
    { param: "input", apiCode: "max_tokens_per_request" },
  );
}

/** Tokens of one input; null when it has more than `limit` by both vocabularies. */
function* countInput(
  ctx: Counter,
  { text, tokens }: EmbeddingInput,
  limit: number,
): Generator<void, number | null, void> {
  const own = ctx.own === undefined ? null : yield* ctx.own.countInSteps(text, limit);
  if (own !== null && own <= limit) return own;
  const cl100k = tokens ?? (yield* countCl100kInSteps(ctx, text, limit));
  if (cl100k > limit) return null;
  // Clients split long texts by cl100k_base (LangChain: at 8,191 tokens). A smaller vocabulary of the model makes more
  // tokens of the same text, so an input within the limit by cl100k_base is accepted.
  return ctx.own === undefined ? cl100k : yield* ctx.own.countInSteps(text, MAX_TOKENS_PER_REQUEST);
}

function* countAll(
  ctx: Counter,
  inputs: readonly EmbeddingInput[],
  limit: number,
): Generator<void, { tokens: number; counts: number[] }, void> {
  let tokens = 0;
  const counts: number[] = [];
  for (const [index, input] of inputs.entries()) {
    const count = yield* countInput(ctx, input, limit);
    if (count === null) throw inputTooLong(limit, inputs.length > 1, index);
    tokens += count;
    counts.push(count);
    if (tokens > MAX_TOKENS_PER_REQUEST) throw tooManyTokens();
    yield;
  }
  return { tokens, counts };
}

/**
 * Tokens of each input and of all, by the model's own vocabulary or cl100k_base, without blocking other calls. Throws
 * `invalid` when one has more than `maxInputTokens` by both, or all have more than 300,000 (inputs are never
 * truncated), `caller_left`.
 */
export async function countInputs(
  ctx: Counter,
  inputs: readonly EmbeddingInput[],
  maxInputTokens: number | null,
): Promise<{ tokens: number; counts: number[] }> {
  const limit = maxInputTokens ?? MAX_TOKENS_PER_REQUEST;
  const [only] = inputs;
  // Most calls have one short text: no work to divide.
  const isShort = only !== undefined && inputs.length === 1 && only.text.length <= MAX_SINGLE_STEP_LENGTH;
  if (isShort && ctx.own === undefined && !ctx.signal.aborted) {
    const tokens = only.tokens ?? ctx.services.countTokens(only.text, limit);
    if (tokens > limit) throw inputTooLong(limit, false, 0);
    return { tokens, counts: [tokens] };
  }
  return runInSlices(countAll(ctx, inputs, limit), ctx.signal);
}
