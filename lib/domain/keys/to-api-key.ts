import type { ApiKey } from "../../contracts/keys";
import { nanoToUsd } from "../../contracts/money";
import { toTimestamp } from "../../contracts/timestamp";
import type { KeyRecord, Repositories } from "../../ports/store";

const time = (at: number | null) => (at === null ? null : toTimestamp(at));
const usd = (nano: number | null) => (nano === null ? null : nanoToUsd(nano));

/** What may be told of a key, field by field; never its digest. `now`: the instant whose day and month are told. */
export async function toApiKey(
  store: Pick<Repositories, "keys">,
  key: KeyRecord,
  now: number,
): Promise<ApiKey> {
  const spent = await store.keys.spent(key.id, now);
  return {
    id: key.id,
    name: key.name,
    display: key.display,
    enabled: key.enabled,
    created_at: toTimestamp(key.createdAt),
    expires_at: time(key.expiresAt),
    last_used_at: time(key.lastUsedAt),
    operations: key.operations,
    allowed_models: key.allowedModels,
    allowed_addresses: key.allowedAddresses,
    rpm: key.rpm,
    tpm: key.tpm,
    concurrency: key.concurrency,
    budget: {
      total_usd: usd(key.budget.totalNano),
      daily_usd: usd(key.budget.dailyNano),
      monthly_usd: usd(key.budget.monthlyNano),
    },
    spent: {
      total_usd: nanoToUsd(spent.totalNano),
      daily_usd: nanoToUsd(spent.dailyNano),
      monthly_usd: nanoToUsd(spent.monthlyNano),
    },
    owner_id: key.ownerId,
    version: key.version,
  };
}
