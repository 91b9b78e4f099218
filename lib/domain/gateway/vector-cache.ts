import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CatalogEntry } from "../context";

/** Vectors of texts met lately, bounded in bytes; one per process (DESIGN §4). */
export interface VectorCache {
  get(key: string): Float32Array | undefined;
  put(key: string, vector: Float32Array): void;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** What an entry costs besides its numbers. */
const ENTRY_BYTES = 200;

export function createVectorCache(maxBytes = MAX_BYTES): VectorCache {
  const vectors = new LRUCache<string, Float32Array>({
    maxSize: maxBytes,
    sizeCalculation: (vector) => vector.byteLength + ENTRY_BYTES,
  });
  return {
    get: (key) => vectors.get(key),
    put: (key, vector) => void vectors.set(key, vector),
  };
}

const fingerprints = new WeakMap<CatalogEntry, string>();

/** Names a model together with what serves it, so that a change of either makes older entries unreachable. */
export function fingerprintOf(entry: CatalogEntry): string {
  const known = fingerprints.get(entry);
  if (known !== undefined) return known;
  const { model, routes } = entry;
  const parts = routes.map(({ channel, upstreamName }) => [channel.id, channel.version, upstreamName]);
  const fingerprint = JSON.stringify([model.name, model.version, model.createdAt, parts]);
  fingerprints.set(entry, fingerprint);
  return fingerprint;
}

/** Makes the keys of one call: model, what serves it and every parameter that changes the vector, then the text. */
export function vectorKeys(
  entry: CatalogEntry,
  parameters: { dimensions: number | undefined; taskType: string | undefined },
): (text: string) => string {
  const head = `${fingerprintOf(entry)}\n${parameters.dimensions ?? ""}\n${parameters.taskType ?? ""}\n`;
  return (text) => createHash("sha256").update(head).update(text).digest("base64url");
}
