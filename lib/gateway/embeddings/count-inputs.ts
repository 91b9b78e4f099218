import { AppError } from "../../errors";
import { runInTurns } from "../../ports/run-in-turns";
import type { GatewayServices } from "../context";

export interface EmbeddingInput {
  /** Not empty. */
  text: string;
  /** Number of token IDs, for an input sent as token IDs; absent: counted here. */
  tokens?: number;
}

/** Most tokens of all inputs of a request. */
export const MAX_TOKENS_IN_ALL = 300_000;
/** Texts above this number of characters are counted in steps. */
const LONG_TEXT = 4_096;

interface Counter {
  services: Pick<GatewayServices, "countTokens" | "countTokensInSteps">;
  signal: AbortSignal;
}

function* countInSteps(ctx: Counter, text: string, limit?: number): Generator<void, number, void> {
  if (text.length <= LONG_TEXT) return ctx.services.countTokens(text, limit);
  return yield* ctx.services.countTokensInSteps(text, limit);
}

/** Tokens (cl100k_base) of one text of any length, without blocking other calls. Throws `caller_left`. */
export async function countText(ctx: Counter, text: string, limit?: number): Promise<number> {
  if (text.length <= LONG_TEXT) return ctx.services.countTokens(text, limit);
  return runInTurns(ctx.services.countTokensInSteps(text, limit), ctx.signal);
}

function tooLong(limit: number, many: boolean, index: number): AppError {
  const which = many ? ` (input ${index})` : "";
  return new AppError(
    "invalid",
    `This model's maximum context length is ${limit} tokens${which}. Please shorten the input.`,
    { param: "input", apiCode: "context_length_exceeded" },
  );
}

export function tooManyTokens(): AppError {
  return new AppError(
    "invalid",
    `The inputs have more than ${MAX_TOKENS_IN_ALL} tokens in all. Please send fewer in one request.`,
    { param: "input", apiCode: "max_tokens_per_request" },
  );
}

function* countAll(
  ctx: Counter,
  inputs: readonly EmbeddingInput[],
  limit: number,
): Generator<void, { tokens: number; counts: number[] }, void> {
  let tokens = 0;
  const counts: number[] = [];
  for (const [index, input] of inputs.entries()) {
    const count = input.tokens ?? (yield* countInSteps(ctx, input.text, limit));
    if (count > limit) throw tooLong(limit, inputs.length > 1, index);
    tokens += count;
    counts.push(count);
    if (tokens > MAX_TOKENS_IN_ALL) throw tooManyTokens();
    yield;
  }
  return { tokens, counts };
}

/**
 * Tokens (cl100k_base) of each input and of all, without blocking other calls. Throws `invalid` when one has more than
 * `maxInputTokens` or all have more than 300,000 (inputs are never truncated), `caller_left`.
 */
export function countInputs(
  ctx: Counter,
  inputs: readonly EmbeddingInput[],
  maxInputTokens: number | null,
): Promise<{ tokens: number; counts: number[] }> {
  return runInTurns(countAll(ctx, inputs, maxInputTokens ?? MAX_TOKENS_IN_ALL), ctx.signal);
}
