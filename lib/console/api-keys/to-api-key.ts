import type { ApiKey } from "../../contracts/console/api-keys";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import type { KeyRecord, RejectionRecord, Repositories, Spent, UserRecord } from "../../ports/store";
import { shownBudget, shownSpent } from "../users/limits";

type Needs = Pick<Repositories, "keys" | "users" | "rejections">;

/**
 * API keys as the API returns them, in the order given and never with a digest. `now` selects the day and month of
 * `spent`.
 */
export async function toApiKeys(store: Needs, keys: readonly KeyRecord[], now: number): Promise<ApiKey[]> {
  const [owners, spent, rejections] = await Promise.all([
    store.users.findMany([...new Set(keys.map((key) => key.ownerId))]),
    Promise.all(keys.map((key) => store.keys.spent(key.id, now))),
    store.rejections.latest(keys.map((key) => key.id)),
  ]);
  return keys.map((key, index) =>
    shownKey(key, owners.get(key.ownerId), spent[index], rejections.get(key.id)),
  );
}

/** One API key as the API returns it. */
export async function toApiKey(store: Needs, key: KeyRecord, now: number): Promise<ApiKey> {
  const [shown] = await toApiKeys(store, [key], now);
  // `toApiKeys` returns one item for each key.
  return shown as ApiKey;
}

function shownKey(
  key: KeyRecord,
  owner: UserRecord | undefined,
  spent: Spent | undefined,
  rejection: RejectionRecord | undefined,
): ApiKey {
  return {
    id: key.id,
    name: key.name,
    display: key.display,
    enabled: key.enabled,
    created_at: toTimestamp(key.createdAt),
    expires_at: timestampOrNull(key.expiresAt),
    last_used_at: timestampOrNull(key.lastUsedAt),
    operations: key.operations,
    allowed_models: key.allowedModels,
    allowed_addresses: key.allowedAddresses,
    rpm: key.rpm,
    tpm: key.tpm,
    concurrency: key.concurrency,
    budget: shownBudget(key.budget),
    limits_set_by: key.limitsSetBy,
    spent: shownSpent(spent),
    last_rejected:
      rejection === undefined
        ? null
        : { at: toTimestamp(rejection.at), error: rejection.error, limit: rejection.limit },
    owner_id: key.ownerId,
    // Deleting a user deletes their keys; if that happens between the two reads, the key is shown with an empty owner.
    owner: {
      username: owner?.username ?? "",
      display_name: owner?.displayName ?? "",
      role: owner?.role ?? "member",
    },
    version: key.version,
  };
}
