import { codePoints } from "../../contracts/code-points";
import { AppError, hasCode } from "../../errors";
import type { CatalogEntry, Target } from "../../ports/catalog";
import { type EmbeddingResult, isFiniteVector } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import { cacheScope } from "../cache-keys";
import type { CallOutcome, CallPlan, Meter } from "../call";
import type { GatewayContext } from "../context";
import { openMeter } from "../metering/open-meter";
import { failedOutcome, reconcileTokens } from "../metering/outcome";
import { maxEmbeddingCostNano } from "../metering/price";
import { mayCacheResult } from "../routing/choose-channel";
import { withFailover } from "../routing/with-failover";
import {
  type CacheableCall,
  lookUp,
  mergeVectors,
  NEVER_STOPPED,
  runForTexts,
  type UncachedTexts,
  uncachedTexts,
  type VectorLookup,
} from "./cached-texts";
import { countInputs, modelTokenCounter } from "./count-inputs";

export interface EmbeddingsCall extends CacheableCall {
  /** The model name as sent. */
  requestedModel: string;
  /** The field of `dimensions` in the caller's dialect, for messages and `param`. */
  dimensionsField: string;
  endUser: string | null;
}

export interface EmbeddingsReply {
  /** In the order of the inputs; built-in engines normalise them, upstreams may not. */
  vectors: Float32Array[];
  /** The base64 of a single vector, where its upstream sent base64 (EmbeddingResult). */
  base64?: Uint8Array | undefined;
  inputTokens: number;
  /** The channel that embedded them; null where all are from the cache. */
  channel: ChannelRecord | null;
  /** `x-patchbay-*` (with the engine's notice, if any) and rate-limit headers. */
  headers: Record<string, string>;
}

function checkDimensions({
  entry: { model },
  requestedModel,
  dimensions,
  dimensionsField,
}: EmbeddingsCall): void {
  if (dimensions === undefined || model.dimensions === null || dimensions === model.dimensions) return;
  const refuse = (message: string): AppError =>
    new AppError("invalid", `'${dimensionsField}' must be ${message}; got ${dimensions}.`, {
      param: dimensionsField,
    });
  if (!model.canShorten)
    throw refuse(`${model.dimensions} for '${requestedModel}', which cannot shorten vectors`);
  if (dimensions > model.dimensions) throw refuse(`at most ${model.dimensions} for '${requestedModel}'`);
}

/** Embeds these texts on one channel; a single text is batched where model and channel allow it. */
async function embedOn(
  ctx: GatewayContext,
  call: Omit<EmbeddingsCall, "inputs">,
  uncached: UncachedTexts,
  { channel, upstreamName }: Target,
  options: CallOptions,
): Promise<EmbeddingResult> {
  const { taskType } = call;
  const { model } = call.entry;
  // Upstreams reject the field for models with one length, whatever its value.
  const hasOneLength = !model.canShorten && call.dimensions === model.dimensions;
  const dimensions = hasOneLength ? undefined : call.dimensions;
  const user = call.endUser ?? undefined;
  const provider = ctx.services.providers.embedding(channel);
  const { texts } = uncached;
  const [text] = texts;
  const isAlone = texts.length === 1 && text !== undefined;
  const mayWait = model.batching && !channel.embedded && channel.options.batching !== false;
  // Two object literals, because V8 is slow at copying an object and adding to it.
  if (!isAlone || !mayWait)
    return provider.embed({ model: upstreamName, texts, dimensions, taskType, user }, options);
  const parameters = { model: upstreamName, dimensions, taskType, user };
  const keyId = channel.keys[0]?.id ?? null;
  const batchKey = JSON.stringify([channel.id, channel.version, keyId, parameters]);
  return ctx.services.state.batcher.embed(
    batchKey,
    parameters,
    { text, scope: cacheScope(ctx), tokens: uncached.tokens, options },
    (request, batchOptions) => provider.embed(request, batchOptions),
  );
}

function invalid(what: string, isCausedByRequest = false): AppError {
  return new AppError("upstream_invalid", `The channel returned ${what}.`, { isCausedByRequest });
}

/**
 * Throws `upstream_invalid` unless there is one vector of the right length and finite numbers for each text. `asked`:
 * the requested length; `ofModel`: the model's length, null where it has several. Without both, all vectors must have
 * the same length.
 */
function* checkVectors(
  { vectors }: EmbeddingResult,
  texts: number,
  asked: number | undefined,
  ofModel: number | null,
  { embedded }: Pick<ChannelRecord, "embedded">,
): Generator<void, void, void> {
  if (vectors.length !== texts) throw invalid(`${vectors.length} vectors for ${texts} texts`);
  const expected = asked ?? ofModel ?? vectors[0]?.length;
  for (const vector of vectors) {
    if (vector.length !== expected) {
      const subject = ofModel === null ? "the first" : "this model";
      const where = asked === undefined ? `${subject} has ${expected}` : `${asked} were requested`;
      throw invalid(`a vector of ${vector.length} numbers where ${where}`, asked !== undefined);
    }
    // The vectors of an upstream were checked when its reply was read.
    if (embedded && !isFiniteVector(vector)) throw invalid("a vector with a number that is not finite");
    yield;
  }
}

function cacheState(
  ctx: GatewayContext,
  { model }: CatalogEntry,
  lookup: VectorLookup | null,
): Pick<CallPlan, "cache"> {
  if (lookup !== null) return { cache: lookup.state };
  return model.cacheable && ctx.services.state.vectorCache.isOn ? { cache: "bypass" } : {};
}

/** The outcome of a call that returned vectors. */
function servedOutcome(
  outcome: Pick<CallOutcome, "inputTokens" | "characters" | "free" | "estimated" | "cached">,
): CallOutcome {
  return { status: 200, error: null, outputTokens: 0, audioMs: 0, ...outcome };
}

/**
 * The usage of a failed call: a caller who leaves is charged for the texts whose upstream calls have replied; any other
 * error is free.
 */
function usedBefore(
  error: unknown,
  repliedTexts: ReadonlySet<number>,
  { texts, positions }: UncachedTexts,
  counts: readonly number[],
): Partial<CallOutcome> {
  if (!hasCode(error, "caller_left") || repliedTexts.size === 0) return {};
  let inputTokens = 0;
  let characters = 0;
  for (const index of repliedTexts) {
    inputTokens += counts[positions[index] ?? -1] ?? 0;
    characters += codePoints(texts[index] ?? "");
  }
  return { inputTokens, characters, estimated: true };
}

/** A call answered from the cache: free, but with a ledger entry. */
async function serveFromCache(
  meter: Meter,
  lookup: VectorLookup,
  { tokens, uncached: { allCharacters: characters } }: PreparedTexts,
): Promise<EmbeddingsReply> {
  await meter.settle(servedOutcome({ inputTokens: tokens, characters, estimated: false, cached: true }));
  const vectors = lookup.cached.filter((vector) => vector !== undefined);
  return { vectors, inputTokens: tokens, channel: null, headers: meter.headers() };
}

/** The inputs of a call, counted and looked up in the cache. */
interface PreparedTexts {
  /** Tokens of all inputs together; `counts` has those of each input. */
  tokens: number;
  counts: readonly number[];
  /** Null where the call does not use the cache. */
  lookup: VectorLookup | null;
  uncached: UncachedTexts;
}

async function prepareTexts(ctx: GatewayContext, call: EmbeddingsCall): Promise<PreparedTexts> {
  const { services, signal } = ctx;
  const { tokens, counts } = await countInputs(
    { services, signal, own: modelTokenCounter(services, call.entry) },
    call.inputs,
    call.entry.model.maxInputTokens,
  );
  const lookup = await lookUp(ctx, call);
  const uncached = await runForTexts(call, uncachedTexts(call, lookup, counts), signal);
  return { tokens, counts, lookup, uncached };
}

/** Empty for the most common call (one text, all dimensions), so that its trace stays short. */
function parametersOf({ dimensions, inputs }: EmbeddingsCall): Pick<CallPlan, "parameters"> {
  if (dimensions === undefined && inputs.length === 1) return {};
  return {
    parameters: {
      ...(dimensions === undefined ? {} : { dimensions }),
      ...(inputs.length === 1 ? {} : { inputs: inputs.length }),
    },
  };
}

function planOf(ctx: GatewayContext, call: EmbeddingsCall, prepared: PreparedTexts): CallPlan {
  const { tokens, lookup, uncached } = prepared;
  return {
    entry: call.entry,
    requestedModel: call.requestedModel,
    // The token rate limit counts cached texts too.
    inputTokens: tokens,
    characters: uncached.characters,
    reservedNano: maxEmbeddingCostNano(call.entry.model.prices, uncached.tokens, uncached.characters),
    endUser: call.endUser,
    alwaysOpensEntry: false,
    ...parametersOf(call),
    promptText: () => call.inputs.map(({ text }) => text).join("\n"),
    ...cacheState(ctx, call.entry, lookup),
  };
}

/** Settles a call that this channel served, and merges its vectors with the cached ones. */
async function serveFromChannel(
  ctx: GatewayContext,
  call: EmbeddingsCall,
  meter: Meter,
  { tokens, lookup, uncached }: PreparedTexts,
  { result, target }: { result: EmbeddingResult; target: Target },
): Promise<EmbeddingsReply> {
  const { channel } = target;
  const { tokens: sentTokens, isReported } = reconcileTokens(result.inputTokens, uncached.tokens);
  const characters = uncached.allCharacters;
  const free = { inputTokens: tokens - uncached.tokens, characters: characters - uncached.characters };
  // The entry and the reply count cached texts too: the same request counts the same tokens.
  const inputTokens = sentTokens + free.inputTokens;
  // Built-in engines report no count of their own.
  const estimated = !isReported && !channel.embedded;
  await meter.settle(servedOutcome({ inputTokens, characters, free, estimated, cached: false }));
  const vectors =
    lookup === null
      ? result.vectors
      : await runForTexts(
          call,
          mergeVectors(ctx, lookup, uncached, result, mayCacheResult(call.entry, target)),
          NEVER_STOPPED,
        );
  const headers = meter.headers();
  if (result.notice !== undefined) {
    const inputs = result.notice.texts.map((at) => uncached.positions[at] ?? at);
    headers["x-patchbay-notice"] = result.notice.text(inputs, call.inputs.length);
  }
  return {
    vectors,
    inputTokens,
    channel,
    headers,
    base64: vectors.length === 1 ? result.base64 : undefined,
  };
}

/**
 * Runs one embeddings call; its ledger entry is settled when it returns. Cached texts are not sent again and cost
 * nothing. Throws `invalid` (dimensions, too many tokens), the errors of `openMeter`, and those of `withFailover`.
 */
export async function embedTexts(ctx: GatewayContext, call: EmbeddingsCall): Promise<EmbeddingsReply> {
  checkDimensions(call);
  const prepared = await prepareTexts(ctx, call);
  const { counts, lookup, uncached } = prepared;
  const plan = planOf(ctx, call, prepared);
  const meter = await openMeter(ctx, plan);
  /** The progress of the newest attempt. */
  let progress: UpstreamProgress | undefined;
  try {
    if (lookup?.state === "hit") return await serveFromCache(meter, lookup, prepared);
    const served = await withFailover(ctx, plan, meter, async (target, options) => {
      progress = options.progress;
      const result = await embedOn(ctx, call, uncached, target, options);
      const ofModel = call.entry.model.dimensions;
      const checks = checkVectors(result, uncached.texts.length, call.dimensions, ofModel, target.channel);
      await runForTexts(call, checks, NEVER_STOPPED);
      return { result, target };
    });
    return await serveFromChannel(ctx, call, meter, prepared, served);
  } catch (error) {
    const used = usedBefore(error, progress?.repliedTexts ?? new Set(), uncached, counts);
    await meter.settle(failedOutcome(error, used));
    throw error;
  }
}
