import { hash } from "node:crypto";
import type { CatalogEntry } from "../../ports/catalog";
import type { Instance } from "../../ports/instance";
import type { SharedCache } from "../../ports/shared-state/cache";
import type { KeyWithOwner } from "../../ports/store";
import { type ByteCache, createByteCache } from "../byte-cache";

/** Vectors of recent texts, bounded in bytes; one per process. */
export type VectorCache = ByteCache<Float32Array>;

const MAX_BYTES = 64 * 1024 * 1024;
/** Overhead of an entry besides its numbers. */
const ENTRY_BYTES = 200;

export function createVectorCache(maxBytes = MAX_BYTES): VectorCache {
  return createByteCache(maxBytes, (vector) => vector.byteLength + ENTRY_BYTES);
}

/** Fills the gaps of `cached` from the cache that the instances share, and copies what it finds to this process. */
export async function fillFromShared(
  shared: SharedCache,
  scope: string,
  { keys, cached }: { keys: readonly string[]; cached: (Float32Array | undefined)[] },
  vectors: VectorCache,
): Promise<void> {
  const missing = keys.flatMap((key, index) => (cached[index] === undefined ? [{ key, index }] : []));
  const found = await shared.find(
    scope,
    missing.map(({ key }) => key),
  );
  for (const [at, { key, index }] of missing.entries()) {
    const bytes = found[at];
    if (bytes === undefined) continue;
    // A copy: its first byte must be aligned.
    const vector = new Float32Array(new Uint8Array(bytes).buffer);
    cached[index] = vector;
    vectors.put(key, vector);
  }
}

/** The numbers of a vector as the shared cache keeps them. */
export const vectorBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const fingerprints = new WeakMap<CatalogEntry, string>();

/** Identifies a model with its channels, so that a change of either makes older entries unreachable. */
export function fingerprintOf(entry: CatalogEntry): string {
  const known = fingerprints.get(entry);
  if (known !== undefined) return known;
  const { model, routes } = entry;
  const parts = routes.map(({ channel, upstreamName }) => [channel.id, channel.version, upstreamName]);
  const fingerprint = JSON.stringify([model.name, model.version, model.createdAt, parts]);
  fingerprints.set(entry, fingerprint);
  return fingerprint;
}

/**
 * The scope of cached results: the owner of the API key, or all users where the settings say so. Part of every cache key,
 * so that neither `x-patchbay-cache` nor the latency reveals to one user what another sent.
 */
export function cacheScope({
  services,
  caller,
}: {
  services: { instance: Instance };
  caller: KeyWithOwner;
}): string {
  return services.instance.sharesCaches === true ? "all" : caller.owner.id;
}

/** Cache keys of one request: scope, model, its channels and every parameter that changes the vector, then the text. */
export function vectorKeys(
  scope: string,
  entry: CatalogEntry,
  parameters: { dimensions?: number | undefined; taskType?: string | undefined },
): (text: string) => string {
  const head = `${scope}\n${fingerprintOf(entry)}\n${parameters.dimensions ?? ""}\n${parameters.taskType ?? ""}\n`;
  return (text) => hash("sha256", head + text, "base64url");
}
