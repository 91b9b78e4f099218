import { AppError } from "../../errors";
import type { EmbeddingResult } from "../../ports/embedding-model";
import type { CatalogEntry, GatewayContext } from "../context";
import type { CallPlan } from "./call";
import { countInputs, type EmbeddingInput } from "./count-inputs";
import { openMeter } from "./open-meter";
import { failedOutcome } from "./outcome";
import { worstEmbeddingCostNano } from "./price";
import { withFailover } from "./with-failover";

export interface EmbedTexts {
  entry: CatalogEntry;
  /** The name the caller used. */
  askedModel: string;
  /** One or more, none empty. */
  inputs: readonly EmbeddingInput[];
  dimensions?: number;
  taskType?: string;
  user: string | null;
}

export interface EmbeddedTexts {
  /** Length 1, in the order of the inputs. */
  vectors: Float32Array[];
  inputTokens: number;
  /** `x-patchbay-*` and the limits' headers. */
  headers: Record<string, string>;
}

function checkDimensions({ model }: CatalogEntry, asked: string, dimensions: number | undefined): void {
  if (dimensions === undefined || model.dimensions === null || dimensions === model.dimensions) return;
  if (!model.canShorten) {
    throw new AppError(
      "invalid",
      `The vectors of '${asked}' have ${model.dimensions} numbers and cannot be shortened.`,
      {
        param: "dimensions",
      },
    );
  }
  if (dimensions > model.dimensions) {
    throw new AppError(
      "invalid",
      `'dimensions' is ${dimensions}; the vectors of '${asked}' have at most ${model.dimensions} numbers.`,
      { param: "dimensions" },
    );
  }
}

/** Refuses a reply that does not hold one finite vector of the right length for each text. */
function checkVectors({ vectors }: EmbeddingResult, texts: number, length: number | null): void {
  if (vectors.length !== texts) {
    throw new AppError(
      "upstream_invalid",
      `The channel answered ${vectors.length} vectors for ${texts} texts.`,
    );
  }
  const expected = length ?? vectors[0]?.length;
  for (const vector of vectors) {
    if (vector.length !== expected) {
      throw new AppError(
        "upstream_invalid",
        `The channel answered a vector of ${vector.length} numbers where ${expected} were asked for.`,
      );
    }
    // One number that is none makes the sum none.
    let sum = 0;
    for (let i = 0; i < vector.length; i++) sum += vector[i] ?? 0;
    if (!Number.isFinite(sum))
      throw new AppError("upstream_invalid", "The channel answered a vector that is none.");
  }
}

/** What the upstream counted, when it can be believed. */
function believe(told: number | null, counted: number): { inputTokens: number; estimated: boolean } {
  if (told === null) return { inputTokens: counted, estimated: false };
  const isSane = Number.isSafeInteger(told) && told >= 0 && told <= counted * 8 + 1_000;
  return isSane ? { inputTokens: told, estimated: false } : { inputTokens: counted, estimated: true };
}

/**
 * One embeddings call through a channel, in the books when it returns. Throws `invalid` (dimensions, too many tokens),
 * what `openMeter` throws, and what is left when every channel has failed.
 */
export async function embedTexts(ctx: GatewayContext, call: EmbedTexts): Promise<EmbeddedTexts> {
  const { model } = call.entry;
  checkDimensions(call.entry, call.askedModel, call.dimensions);
  const { tokens, characters } = await countInputs(ctx, call.inputs, model.maxInputTokens);
  const texts = call.inputs.map((input) => input.text);
  const plan: CallPlan = {
    entry: call.entry,
    operation: "embeddings",
    askedModel: call.askedModel,
    inputTokens: tokens,
    characters,
    reservedNano: worstEmbeddingCostNano(model.prices, tokens, characters),
    user: call.user,
    leavesOpenRow: false,
  };
  const meter = await openMeter(ctx, plan);
  try {
    const result = await withFailover(ctx, plan, meter, async ({ channel, upstreamName }, options) => {
      const { dimensions, taskType } = call;
      const user = call.user ?? undefined;
      const answer = await ctx.providers
        .embedding(channel)
        .embed({ model: upstreamName, texts, dimensions, taskType, user }, options);
      checkVectors(answer, texts.length, dimensions ?? model.dimensions);
      return answer;
    });
    const { inputTokens, estimated } = believe(result.inputTokens, tokens);
    const outcome = {
      status: 200,
      error: null,
      inputTokens,
      outputTokens: 0,
      audioMs: 0,
      estimated,
      cached: false,
    };
    await meter.settle(outcome);
    return { vectors: result.vectors, inputTokens, headers: meter.headers() };
  } catch (error) {
    await meter.settle(failedOutcome(error));
    throw error;
  }
}
