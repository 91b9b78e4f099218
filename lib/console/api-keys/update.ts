import type { ApiKey, UpdateKey } from "../../contracts/console/api-keys";
import { AppError } from "../../errors";
import type { KeyRecord } from "../../ports/store";
import { requireUser } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { sentFields } from "../differing";
import { applyBudget } from "../users/limits";
import { requireKeyQuota } from "./key-quota";
import {
  limitAuthors,
  looserLimits,
  requireMayLoosen,
  requireNoPerKeyLimits,
  requireWithinCaller,
} from "./limits";
import { findChangeableKey, readExpiry, requireGrantable, staleKey } from "./permissions";
import { toApiKey } from "./to-api-key";

/**
 * Changes a key, effective from the next request. A limit that a higher role set may be tightened, not loosened. Throws
 * `not_found`, `forbidden`, `invalid`, `conflict` (stale version, or too many keys once it is valid again).
 */
export async function updateKey(ctx: ConsoleContext, id: string, input: UpdateKey): Promise<ApiKey> {
  const actor = requireUser(ctx);
  const now = ctx.clock.now();
  return ctx.store.transaction(async (tx) => {
    const before = await findChangeableKey(tx, ctx, id);
    // All checks below are against the version that is replaced.
    if (before.version !== input.version) throw staleKey();
    const owner = await tx.users.findById(before.ownerId);
    // Deleting a user deletes their keys, and this transaction reads both.
    if (owner === null) throw new AppError("not_found", "API key not found.");
    if (input.operations !== undefined && !before.operations.includes("manage"))
      requireGrantable(ctx, owner, input.operations);
    const patch: Partial<KeyRecord> = sentFields({
      name: input.name,
      enabled: input.enabled,
      expiresAt: input.expires_at === undefined ? undefined : expiryOf(input.expires_at, before, now),
      operations: input.operations,
      allowedModels: input.allowed_models,
      allowedAddresses: input.allowed_addresses,
      rpm: input.rpm,
      tpm: input.tpm,
      concurrency: input.concurrency,
      budget: input.budget && applyBudget(input.budget, before.budget),
    });
    const wanted = { ...before, ...patch };
    const isLooser = looserLimits(wanted, before).length > 0;
    // A key that stays disabled and becomes no wider grants nothing.
    if (wanted.enabled || isLooser) requireWithinCaller(ctx, wanted);
    requireMayLoosen(actor.role, before, wanted);
    if (isLooser) requireNoPerKeyLimits(ctx, "loosen the limits of others");
    // An expired key that becomes valid again counts toward the quota.
    if (!isUnexpired(before, now) && isUnexpired(wanted, now)) await requireKeyQuota(tx, owner, now);
    const limitsSetBy = limitAuthors(actor.role, owner.role, before, wanted);
    const after = await tx.keys.update(before, { ...patch, limitsSetBy });
    if (after === null) throw staleKey();
    await recordAudit(tx, ctx, {
      action: "key.update",
      target: id,
      detail: { before: auditedFields(before), after: auditedFields(after) },
    });
    return toApiKey(tx, after, now);
  });
}

const isUnexpired = ({ expiresAt }: KeyRecord, now: number): boolean => expiresAt === null || expiresAt > now;

/** An expiry sent back unchanged is no change, even when it has passed. */
function expiryOf(text: string | null, before: KeyRecord, now: number): number | null {
  const isSame = text !== null && Date.parse(text) === before.expiresAt;
  return isSame ? before.expiresAt : readExpiry(text, now);
}

function auditedFields(key: KeyRecord): Record<string, unknown> {
  return {
    name: key.name,
    enabled: key.enabled,
    expires_at: key.expiresAt,
    operations: key.operations,
    allowed_models: key.allowedModels,
    allowed_addresses: key.allowedAddresses,
    rpm: key.rpm,
    tpm: key.tpm,
    concurrency: key.concurrency,
    budget: key.budget,
  };
}
