import { createHash } from "node:crypto";
import type { CatalogEntry } from "../../ports/catalog";
import type { SpeechEvent, SpeechUsage } from "../../ports/speech-model";
import { type ByteCache, createByteCache } from "../byte-cache";
import { fingerprintOf } from "../embeddings/vector-cache";
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
export const MAX_SPEECH_BYTES = 8 * 1024 * 1024;

function bytesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
}

export function createSpeechCache(maxBytes = MAX_BYTES): SpeechCache {
  return createByteCache(maxBytes, (speech) => bytesOf(speech.chunks) + ENTRY_BYTES);
}

/** The cache key of one request: `scope` (cacheScope), the model with its channels, and the body in its dialect. */
export function speechKey(
  scope: string,
  entry: CatalogEntry,
  source: { dialect: string; body: Readonly<Record<string, unknown>> },
): string {
  return createHash("sha256")
    .update(`${scope}\n${fingerprintOf(entry)}\n${source.dialect}\n`)
    .update(JSON.stringify(source.body))
    .digest("base64url");
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

/** The same stream; calls `store` when it has ended completely and `copy` was not given up. */
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
        if (chunks !== null) store({ chunks, usage, finishReason, isEmbedded });
        return result;
      },
      async return() {
        copy.release();
        return (await source.return?.()) ?? { done: true, value: undefined };
      },
    },
  };
}
