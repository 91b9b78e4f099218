import { createHash } from "node:crypto";
import type { CatalogEntry } from "../../ports/catalog";
import { MAX_SHARED_VALUE_BYTES, type SharedCache } from "../../ports/shared-state";
import { SPEECH_BYTES_PER_SECOND, type SpeechEvent, type SpeechUsage } from "../../ports/speech-model";
import type { Metrics } from "../../ports/telemetry";
import { type ByteCache, createByteCache } from "../byte-cache";
import { cacheScope, fingerprintOf } from "../cache-keys";
import type { ReplyCopy } from "./buffered-replies";
import type { OpenedSpeech } from "./opened-speech";

/** A whole speech as received from a channel. */
export interface CachedSpeech {
  chunks: readonly Uint8Array[];
  usage: SpeechUsage;
  finishReason: string;
  isEmbedded: boolean;
  /** Fields that the channel ignored. */
  ignored: readonly string[];
}

/** Speech of identical requests, bounded in bytes; one per process. */
export type SpeechCache = ByteCache<CachedSpeech>;

const MAX_BYTES = 64 * 1024 * 1024;
/** Overhead of an entry besides its audio. */
const ENTRY_BYTES = 500;
/** Longer speech (almost three minutes) is not cached. */
export const MAX_CACHED_SPEECH_BYTES = 8 * 1024 * 1024;

function bytesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
}

export function createSpeechCache(): SpeechCache {
  return createByteCache(MAX_BYTES, (speech) => bytesOf(speech.chunks) + ENTRY_BYTES);
}

/** The body of a request, and the dialect that it is in. */
interface SpeechSource {
  dialect: string;
  body: Readonly<Record<string, unknown>>;
}

/** The cache key of one request: `scope` (cacheScope), the model with its channels, and the body in its dialect. */
function speechKey(scope: string, entry: CatalogEntry, source: SpeechSource): string {
  return createHash("sha256")
    .update(`${scope}\n${fingerprintOf(entry)}\n${source.dialect}\n`)
    .update(JSON.stringify(source.body))
    .digest("base64url");
}

/** Bytes of audio in a chunk of decoded speech. */
const CHUNK_BYTES = SPEECH_BYTES_PER_SECOND;
const LENGTH_BYTES = 4;

/** Speech as one value of the shared cache: length of the JSON, JSON, audio. Null when it is too large for it. */
export function encodeSpeech({ chunks, ...facts }: CachedSpeech): Uint8Array | null {
  const json = Buffer.from(JSON.stringify(facts));
  if (LENGTH_BYTES + json.length + bytesOf(chunks) > MAX_SHARED_VALUE_BYTES) return null;
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, ...chunks]);
}

/** Reads what `encodeSpeech` of an instance with the same secret wrote. */
export function decodeSpeech(bytes: Uint8Array): CachedSpeech {
  const encoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const audioAt = LENGTH_BYTES + encoded.readUInt32LE();
  // The value is authenticated, so its type is known.
  const facts = JSON.parse(encoded.toString("utf8", LENGTH_BYTES, audioAt)) as Omit<CachedSpeech, "chunks">;
  // A copy: samples must begin at an even offset.
  const audio = new Uint8Array(encoded.subarray(audioAt));
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < audio.length; at += CHUNK_BYTES) chunks.push(audio.subarray(at, at + CHUNK_BYTES));
  return { ...facts, chunks };
}

interface Caches {
  state: { speechCache: SpeechCache; sharedCache: SharedCache | null; cacheGeneration: number };
  metrics: Pick<Metrics, "count">;
}

/** Speech from the cache that the instances share, if any; it is copied to this process. */
async function findShared(
  { state, metrics }: Caches,
  scope: string,
  key: string,
): Promise<CachedSpeech | undefined> {
  const found = (await state.sharedCache?.find(scope, [key])) ?? null;
  if (found === null) return undefined;
  const [bytes] = found;
  metrics.count(bytes === undefined ? "shared_cache_misses" : "shared_cache_hits");
  if (bytes === undefined) return undefined;
  const speech = decodeSpeech(bytes);
  state.speechCache.put(key, speech);
  return speech;
}

/** What the caches know of a request. */
export interface SpeechLookup {
  /** Null where the model is not cached. */
  state: "hit" | "miss" | "bypass" | null;
  known: CachedSpeech | undefined;
  /** The cache key under which its speech may be stored; null when it must not be stored. */
  key: string | null;
}

/** Looks the speech of a request up, in this process and then in the cache that the instances share. */
export async function lookUpSpeech(
  ctx: Parameters<typeof cacheScope>[0] & { services: Caches; isNoStore?: boolean | undefined },
  entry: CatalogEntry,
  source: SpeechSource,
): Promise<SpeechLookup> {
  const { services } = ctx;
  if (!entry.model.cacheable || !services.state.speechCache.isOn)
    return { state: null, known: undefined, key: null };
  if (ctx.isNoStore) return { state: "bypass", known: undefined, key: null };
  const scope = cacheScope(ctx);
  const key = speechKey(scope, entry, source);
  const known = services.state.speechCache.get(key) ?? (await findShared(services, scope, key));
  services.metrics.count(known === undefined ? "cache_misses" : "cache_hits");
  return { state: known === undefined ? "miss" : "hit", known, key };
}

/** Adds a whole speech to the caches; `generation`: the caches' generation when the call began. */
export function keepSpeech(
  { state: { speechCache, sharedCache, cacheGeneration } }: Caches,
  scope: string,
  key: string,
  speech: CachedSpeech,
  generation: number,
): void {
  if (generation !== cacheGeneration) return;
  speechCache.put(key, speech);
  const value = sharedCache === null ? null : encodeSpeech(speech);
  if (value !== null) sharedCache?.store(scope, [{ key, value }], generation);
}

/** Cached speech as the stream of a channel. */
export function replay(speech: CachedSpeech): OpenedSpeech {
  const [pcm = new Uint8Array(0), ...rest] = speech.chunks;
  const events: SpeechEvent[] = rest.map((chunk) => ({ type: "audio", pcm: chunk }));
  events.push({ type: "end", usage: speech.usage, finishReason: speech.finishReason });
  return {
    first: { type: "audio", pcm },
    source: iteratorOf(events),
    isEmbedded: speech.isEmbedded,
    isCached: true,
    totalBytes: bytesOf(speech.chunks),
    halt: () => undefined,
  };
}

async function* iteratorOf(events: readonly SpeechEvent[]): AsyncGenerator<SpeechEvent> {
  yield* events;
}

/**
 * Passes a stream on unchanged. Calls `store` when it has ended completely and `copy` was not given up. Speech that the
 * upstream ended early (`MAX_TOKENS`, `SAFETY`, `OTHER`) is not stored: the next request may get all of it.
 */
export function cacheAtEnd(
  opened: OpenedSpeech,
  copy: ReplyCopy,
  store: (speech: Omit<CachedSpeech, "ignored">) => void,
): OpenedSpeech {
  if (opened.first.type === "audio") copy.add(opened.first.pcm);
  const { source, isEmbedded } = opened;
  return {
    ...opened,
    source: {
      async next() {
        const result = await source.next();
        if (result.done) return result;
        if (result.value.type !== "end") {
          // Base64 is not accepted for a model with a cache.
          if (result.value.type === "audio") copy.add(result.value.pcm);
          return result;
        }
        const { usage, finishReason } = result.value;
        const chunks = copy.take();
        if (chunks !== null && finishReason === "STOP") store({ chunks, usage, finishReason, isEmbedded });
        return result;
      },
      async return() {
        copy.release();
        return (await source.return?.()) ?? { done: true, value: undefined };
      },
    },
  };
}
