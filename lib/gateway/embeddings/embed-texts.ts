import { AppError } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import type { EmbeddingResult } from "../../ports/embedding-model";
import { runInTurns } from "../../ports/run-in-turns";
import type { CallOptions } from "../../ports/speech-model";
import type { CallPlan, Meter, Target } from "../call";
import type { GatewayContext } from "../context";
import { openMeter } from "../metering/open-meter";
import { failedOutcome } from "../metering/outcome";
import { worstEmbeddingCostNano } from "../metering/price";
import { reconcileTokens } from "../metering/reconcile-usage";
import { withFailover } from "../routing/with-failover";
import { countInputs, type EmbeddingInput } from "./count-inputs";
import { cacheScope, vectorKeys } from "./vector-cache";

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
  /** In the order of the inputs; built-in engines normalise them, upstreams as they please. */
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

type Embed = Omit<EmbedTexts, "inputs">;

/** One channel's answer for these texts; single ones travel in company where model and channel allow it. */
async function embedOn(
  ctx: GatewayContext,
  call: Embed,
  fetched: Fetched,
  { channel, upstreamName }: Target,
  options: CallOptions,
): Promise<EmbeddingResult> {
  const { dimensions, taskType } = call;
  const parameters = { model: upstreamName, dimensions, taskType, user: call.user ?? undefined };
  const provider = ctx.services.providers.embedding(channel);
  const [text] = fetched.texts;
  const isAlone = fetched.texts.length === 1 && text !== undefined;
  const mayWait = call.entry.model.batching && !channel.embedded && channel.options.batching !== false;
  if (!isAlone || !mayWait) return provider.embed({ ...parameters, texts: fetched.texts }, options);
  const keyId = channel.keys[0]?.id ?? null;
  const place = JSON.stringify([channel.id, channel.version, keyId, parameters]);
  return ctx.services.state.batcher.embed(
    place,
    parameters,
    { text, scope: cacheScope(ctx), tokens: fetched.tokens, options },
    (request, batchOptions) => provider.embed(request, batchOptions),
  );
}

/** The texts that no cache knows, and what they weigh. */
interface Fetched {
  texts: string[];
  /** Where each stands among the call's inputs. */
  positions: number[];
  tokens: number;
  characters: number;
}

/** What the cache knows of a call's texts, and the keys under which it keeps them. */
interface Lookup {
  state: "hit" | "miss";
  known: (Float32Array | undefined)[];
  keys: string[];
}

function* keysOf(scope: string, call: EmbedTexts): Generator<void, string[], void> {
  const { dimensions, taskType } = call;
  const keyOf = vectorKeys(scope, call.entry, { dimensions, taskType });
  const keys: string[] = [];
  for (const { text } of call.inputs) {
    keys.push(keyOf(text));
    yield;
  }
  return keys;
}

/** Null where the cache has no part in the call. */
async function lookUp(ctx: GatewayContext, call: EmbedTexts): Promise<Lookup | null> {
  if (!call.entry.model.cacheable || ctx.isNoStore) return null;
  const { vectors } = ctx.services.state;
  if (!vectors.isOn) return null;
  const keys = await runInTurns(keysOf(cacheScope(ctx), call), ctx.signal);
  const known = keys.map((key) => vectors.get(key));
  const state = known.every((vector) => vector !== undefined) ? "hit" : "miss";
  ctx.services.metrics.count(state === "hit" ? "cache_hits" : "cache_misses");
  return { state, known, keys };
}

function cacheState(
  ctx: GatewayContext,
  { model }: CatalogEntry,
  lookup: Lookup | null,
): Pick<CallPlan, "cache"> {
  if (lookup !== null) return { cache: lookup.state };
  return model.cacheable && ctx.services.state.vectors.isOn ? { cache: "bypass" } : {};
}

function missingOf(call: EmbedTexts, lookup: Lookup | null, counts: readonly number[]): Fetched {
  const fetched: Fetched = { texts: [], positions: [], tokens: 0, characters: 0 };
  for (const [index, { text }] of call.inputs.entries()) {
    if (lookup?.known[index] !== undefined) continue;
    fetched.texts.push(text);
    fetched.positions.push(index);
    fetched.tokens += counts[index] ?? 0;
    fetched.characters += text.length;
  }
  return fetched;
}

/** The known vectors and the fresh ones in the order of the inputs; the fresh ones are known from now on. */
function merge(
  ctx: GatewayContext,
  { known, keys }: Lookup,
  fetched: Fetched,
  fresh: readonly Float32Array[],
): Float32Array[] {
  const { vectors: cache } = ctx.services.state;
  const vectors = [...known];
  for (const [at, position] of fetched.positions.entries()) {
    const vector = fresh[at];
    const key = keys[position];
    vectors[position] = vector;
    if (vector !== undefined && key !== undefined) cache.put(key, vector);
  }
  return vectors.filter((vector) => vector !== undefined);
}

/** A call that the cache answers whole: free, and a row all the same. */
async function serveFromCache(meter: Meter, lookup: Lookup, tokens: number): Promise<EmbeddedTexts> {
  await meter.settle({
    status: 200,
    error: null,
    inputTokens: tokens,
    outputTokens: 0,
    audioMs: 0,
    estimated: false,
    cached: true,
  });
  const vectors = lookup.known.filter((vector) => vector !== undefined);
  return { vectors, inputTokens: tokens, headers: meter.headers() };
}

/**
 * One embeddings call through a channel, in the books when it returns. Texts that the cache knows are not sent again
 * and cost nothing. Throws `invalid` (dimensions, too many tokens), what `openMeter` throws, and what is left when
 * every channel has failed.
 */
export async function embedTexts(ctx: GatewayContext, call: EmbedTexts): Promise<EmbeddedTexts> {
  const { model } = call.entry;
  checkDimensions(call.entry, call.askedModel, call.dimensions);
  const { tokens, counts } = await countInputs(ctx, call.inputs, model.maxInputTokens);
  const lookup = await lookUp(ctx, call);
  const fetched = missingOf(call, lookup, counts);
  const plan: CallPlan = {
    entry: call.entry,
    operation: "embeddings",
    askedModel: call.askedModel,
    // Tokens a minute count what was sent, known or not.
    inputTokens: tokens,
    characters: fetched.characters,
    reservedNano: worstEmbeddingCostNano(model.prices, fetched.tokens, fetched.characters),
    user: call.user,
    leavesOpenRow: false,
    words: () => call.inputs.map(({ text }) => text).join("\n"),
    ...cacheState(ctx, call.entry, lookup),
  };
  const meter = await openMeter(ctx, plan);
  try {
    if (lookup?.state === "hit") return await serveFromCache(meter, lookup, tokens);
    const result = await withFailover(ctx, plan, meter, async (target, options) => {
      const answer = await embedOn(ctx, call, fetched, target, options);
      checkVectors(answer, fetched.texts.length, call.dimensions ?? model.dimensions);
      return { ...answer, isEmbedded: target.channel.embedded };
    });
    const { tokens: inputTokens, isTold } = reconcileTokens(result.inputTokens, fetched.tokens);
    const outcome = {
      status: 200,
      error: null,
      inputTokens,
      outputTokens: 0,
      audioMs: 0,
      // An engine built in leaves the counting to us.
      estimated: !isTold && !result.isEmbedded,
      cached: false,
    };
    await meter.settle(outcome);
    const vectors = lookup === null ? result.vectors : merge(ctx, lookup, fetched, result.vectors);
    return { vectors, inputTokens: inputTokens + tokens - fetched.tokens, headers: meter.headers() };
  } catch (error) {
    await meter.settle(failedOutcome(error));
    throw error;
  }
}
