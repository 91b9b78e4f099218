import { codePoints } from "../../contracts/code-points";
import type { CatalogEntry } from "../../ports/catalog";
import type { EmbeddingResult } from "../../ports/embedding-model";
import { runAtOnce, runInSlices } from "../../ports/run-in-slices";
import { type StopSignal, StopSource } from "../../ports/stop-signal";
import { cacheScope, vectorKeys } from "../cache-keys";
import type { GatewayContext } from "../context";
import type { EmbeddingInput } from "./count-inputs";
import { fillFromShared, vectorBytes } from "./vector-cache";

/** The fields of a call that decide which cached vectors it may use. */
export interface CacheableCall {
  entry: CatalogEntry;
  /** One or more, none empty. */
  inputs: readonly EmbeddingInput[];
  dimensions?: number;
  taskType?: string;
}

/** The texts that are not in the cache, and their size. */
export interface UncachedTexts {
  texts: string[];
  /** The index of each among the call's inputs. */
  positions: number[];
  tokens: number;
  characters: number;
  /** Characters of all texts of the call, including those in the cache. */
  allCharacters: number;
}

/** The cached vectors of a call's texts, and their cache keys. */
export interface VectorLookup {
  state: "hit" | "miss";
  scope: string;
  /** The generation of the caches when the call began. */
  generation: number;
  cached: (Float32Array | undefined)[];
  keys: string[];
}

/** The signal of work that follows the upstream's reply: it is never stopped, because the upstream charges for it. */
export const NEVER_STOPPED = new StopSource();

/**
 * Runs work with a step for each text in slices, or at once for a call of one text, as nearly all calls are. Throws the
 * errors of `runInSlices` and of the steps.
 */
export function runForTexts<T>(
  { inputs }: CacheableCall,
  steps: Generator<void, T, void>,
  signal: StopSignal,
): T | Promise<T> {
  return inputs.length === 1 ? runAtOnce(steps) : runInSlices(steps, signal);
}

function* lookUpLocally(
  ctx: GatewayContext,
  scope: string,
  call: CacheableCall,
): Generator<void, Pick<VectorLookup, "cached" | "keys">, void> {
  const keyOf = vectorKeys(scope, call.entry, call);
  const keys: string[] = [];
  const cached: VectorLookup["cached"] = [];
  for (const { text } of call.inputs) {
    const key = keyOf(text);
    keys.push(key);
    cached.push(ctx.services.state.vectorCache.get(key));
    yield;
  }
  return { keys, cached };
}

/** The cached vectors of a call; null when it does not use the cache. Throws `caller_left`. */
export async function lookUp(ctx: GatewayContext, call: CacheableCall): Promise<VectorLookup | null> {
  if (!call.entry.model.cacheable || ctx.isNoStore) return null;
  const { vectorCache, sharedCache, cacheGeneration: generation } = ctx.services.state;
  if (!vectorCache.isOn) return null;
  const scope = cacheScope(ctx);
  const { keys, cached } = await runForTexts(call, lookUpLocally(ctx, scope, call), ctx.signal);
  const { metrics } = ctx.services;
  const isComplete = () => cached.every((vector) => vector !== undefined);
  if (sharedCache !== null && !isComplete()) {
    const hasAnswered = await fillFromShared(sharedCache, scope, { keys, cached }, vectorCache);
    if (hasAnswered) metrics.count(isComplete() ? "shared_cache_hits" : "shared_cache_misses");
  }
  const state = isComplete() ? "hit" : "miss";
  metrics.count(state === "hit" ? "cache_hits" : "cache_misses");
  return { state, scope, generation, cached, keys };
}

/** The texts of a call that are not in the cache; `counts`: the tokens of each input. */
export function* uncachedTexts(
  call: CacheableCall,
  lookup: VectorLookup | null,
  counts: readonly number[],
): Generator<void, UncachedTexts, void> {
  const uncached: UncachedTexts = { texts: [], positions: [], tokens: 0, characters: 0, allCharacters: 0 };
  for (const [index, { text }] of call.inputs.entries()) {
    yield;
    const characters = codePoints(text);
    uncached.allCharacters += characters;
    if (lookup?.cached[index] !== undefined) continue;
    uncached.texts.push(text);
    uncached.positions.push(index);
    uncached.tokens += counts[index] ?? 0;
    uncached.characters += characters;
  }
  return uncached;
}

/** The cached and the new vectors in the order of the inputs; adds the new ones to the cache where `isKept`. */
export function* mergeVectors(
  ctx: GatewayContext,
  { scope, generation, cached, keys }: VectorLookup,
  uncached: UncachedTexts,
  { vectors: created, notice }: EmbeddingResult,
  isKept: boolean,
): Generator<void, Float32Array[], void> {
  const { state } = ctx.services;
  const { vectorCache, sharedCache } = state;
  // Vectors with a notice are not cached: from the cache they would be returned without it.
  const noticed = new Set(notice?.texts);
  const vectors = [...cached];
  const added: { key: string; value: Uint8Array }[] = [];
  for (const [at, position] of uncached.positions.entries()) {
    const vector = created[at];
    const key = keys[position];
    vectors[position] = vector;
    if (vector === undefined || key === undefined || noticed.has(at) || !isKept) continue;
    // The caches may be cleared between two steps.
    if (generation !== state.cacheGeneration) continue;
    vectorCache.put(key, vector);
    if (sharedCache !== null) added.push({ key, value: vectorBytes(vector) });
    yield;
  }
  sharedCache?.store(scope, added, generation);
  return vectors.filter((vector) => vector !== undefined);
}
