import { AppError } from "../../errors";
import type { GatewayContext } from "../context";

export interface EmbeddingInput {
  /** Not empty. */
  text: string;
  /** How many token ids the caller sent, when it sent ids; absent: they are counted. */
  tokens?: number;
}

/** Tokens of one request together (CONTRACT §4). */
export const MAX_TOKENS_IN_ALL = 300_000;
/** The event loop gets its turn after this many characters were counted, a few milliseconds' work. */
const CHARACTERS_A_TURN = 16_384;
/** How long the steps of a long text may take before the event loop gets its turn. */
const TURN_MS = 5;

type Counter = Pick<GatewayContext, "countTokens" | "countTokensInSteps" | "clock">;

/** Tokens (cl100k_base) of one text, however long, without holding up others. */
export async function countText(ctx: Counter, text: string, limit?: number): Promise<number> {
  if (text.length <= CHARACTERS_A_TURN) return ctx.countTokens(text, limit);
  const steps = ctx.countTokensInSteps(text, limit);
  let began = ctx.clock.monotonic();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (ctx.clock.monotonic() - began < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = ctx.clock.monotonic();
  }
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

/**
 * Tokens (cl100k_base) of each input and of all. Throws `invalid` when one has more than
 * `maxInputTokens` or all have more than 300,000; never cuts.
 */
export async function countInputs(
  ctx: Counter,
  inputs: readonly EmbeddingInput[],
  maxInputTokens: number | null,
): Promise<{ tokens: number; counts: number[] }> {
  const limit = maxInputTokens ?? MAX_TOKENS_IN_ALL;
  let tokens = 0;
  const counts: number[] = [];
  let sinceTurn = 0;
  for (const [index, input] of inputs.entries()) {
    const { text } = input;
    const isLong = text.length > CHARACTERS_A_TURN;
    const count = input.tokens ?? (isLong ? await countText(ctx, text, limit) : ctx.countTokens(text, limit));
    if (count > limit) throw tooLong(limit, inputs.length > 1, index);
    tokens += count;
    counts.push(count);
    if (tokens > MAX_TOKENS_IN_ALL) throw tooManyTokens();
    sinceTurn += text.length;
    if (sinceTurn > CHARACTERS_A_TURN) {
      sinceTurn = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { tokens, counts };
}
