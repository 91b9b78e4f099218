import { hash } from "node:crypto";
import type { CatalogEntry } from "../ports/catalog";
import type { Instance } from "../ports/instance";
import type { KeyWithOwner } from "../ports/store";

const fingerprints = new WeakMap<CatalogEntry, string>();

/**
 * Identifies a model with its channels, so that a change of either makes older cache entries unreachable. Versions do
 * not suffice: after a failover of the database that lost a change, a later change may get the same version.
 */
export function fingerprintOf(entry: CatalogEntry): string {
  const known = fingerprints.get(entry);
  if (known !== undefined) return known;
  const parts = entry.routes.map(({ channel, upstreamName }) => {
    const { id, createdAt, version, provider, baseUrl, headers, options } = channel;
    // `createdAt` distinguishes the channels of a local voice that was removed and installed again: both have the same
    // ID and version.
    return [id, createdAt, version, provider, baseUrl, headers, options, upstreamName];
  });
  const fingerprint = hash("sha256", JSON.stringify([entry.model, parts]), "base64url");
  fingerprints.set(entry, fingerprint);
  return fingerprint;
}

/**
 * The scope of cached results: the owner of the API key, or all users where the settings say so. Part of every cache
 * key, so that neither `x-patchbay-cache` nor the latency reveals to one user what another sent.
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

/**
 * Returns the function that gives the cache key of each text of a request: a hash of the scope, the model with its
 * channels, every parameter that changes the vector, and the text.
 */
export function vectorKeys(
  scope: string,
  entry: CatalogEntry,
  parameters: { dimensions?: number | undefined; taskType?: string | undefined },
): (text: string) => string {
  // As JSON, because two requests could share a key if one has a line break in its task type and the other in its text.
  const taskType = JSON.stringify(parameters.taskType ?? "");
  const head = `${scope}\n${fingerprintOf(entry)}\n${parameters.dimensions ?? ""}\n${taskType}\n`;
  return (text) => hash("sha256", head + text, "base64url");
}
