import { MINUTE_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import type { KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";
import { addressBucket } from "./address-list";
import { digestKey, isWellFormedKey } from "./key-format";

/** The same text for unknown, malformed and revoked keys, so that it reveals nothing. */
const UNKNOWN_KEY =
  "The API key is not valid. Keys begin with 'sk-pb-' and are created in the console under API keys.";

/** Counts an invalid key against its address; requests with valid keys are not counted or limited here. */
async function invalidKey(services: GatewayServices, address: string | null): Promise<AppError> {
  const { wrongKeysPerMinute } = services.instance.limits;
  const bucket = `wrong-keys:${addressBucket(address)}`;
  const state = await services.limiter.shared.takeForAddress(bucket, wrongKeysPerMinute, MINUTE_MS);
  if (state.allowed) return new AppError("unauthenticated", UNKNOWN_KEY);
  services.metrics.count("rate_limited");
  return new AppError("rate_limited", "Too many wrong API keys from this address. Try again in a minute.", {
    retryAfterMs: state.retryAfterMs,
    limit: "wrong_keys",
  });
}

/**
 * The API key of a presented credential and its owner, checked against their current state. A malformed key or a wrong
 * checksum is refused without a store read. Throws `unauthenticated` (with the reason only for a key that exists),
 * `ip_not_allowed`, `rate_limited` (too many invalid keys), `storage_unavailable`.
 */
export async function authenticateKey(
  services: GatewayServices,
  presented: string,
  peer: { address: string | null },
): Promise<KeyWithOwner> {
  if (!isWellFormedKey(presented)) throw await invalidKey(services, peer.address);
  const { apiKeyCache } = services.state;
  const found = await apiKeyCache.find(digestKey(presented));
  if (found === null) throw await invalidKey(services, peer.address);

  const { key, owner, allows } = found;
  const refused = { key: { id: key.id, ownerId: owner.id } };
  if (!key.enabled) throw new AppError("unauthenticated", "This API key is disabled.", refused);
  if (key.expiresAt !== null && key.expiresAt <= services.clock.now()) {
    throw new AppError(
      "unauthenticated",
      `This API key expired at ${new Date(key.expiresAt).toISOString()}.`,
      refused,
    );
  }
  if (!owner.enabled)
    throw new AppError("unauthenticated", "The owner of this API key is disabled.", refused);
  if (allows !== null && (peer.address === null || !allows(peer.address))) {
    throw new AppError("ip_not_allowed", "This API key may not be used from this address.", refused);
  }
  apiKeyCache.touch(key.id);
  return found;
}
