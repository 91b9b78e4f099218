import type { ApiKeyWithSecret, RotateKey } from "../../contracts/console/api-keys";
import { AppError } from "../../errors";
import { digestKey, displayKey, makeKey } from "../../gateway/admission/key-format";
import { newId } from "../../gateway/new-id";
import type { KeyRecord } from "../../ports/store";
import { requireUser } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { requireGraceQuota } from "./key-quota";
import { requireNoPerKeyLimits, requireWithinCaller } from "./limits";
import { findChangeableKey } from "./permissions";
import { toApiKey } from "./to-api-key";

const HOUR_MS = 3_600_000;

/**
 * Creates a key with the limits of the old one and the record of who set them; the old one works for `grace_hours`
 * more. Only for the caller's own keys: a visible secret can spend its owner's budget. Throws `not_found`, `forbidden`,
 * `conflict` (changed by another request, expired, or too many in grace).
 */
export async function rotateKey(
  ctx: ConsoleContext,
  id: string,
  input: RotateKey,
): Promise<ApiKeyWithSecret> {
  const user = requireUser(ctx);
  const now = ctx.clock.now();
  const key = makeKey(ctx.random);
  return ctx.store.transaction(async (tx) => {
    const old = await findChangeableKey(tx, ctx, id);
    if (old.ownerId !== user.id) throw new AppError("forbidden", "Only the owner of a key may rotate it.");
    if (old.expiresAt !== null && old.expiresAt <= now) {
      throw new AppError("conflict", "This key has expired and cannot be rotated. Create a new key instead.");
    }
    requireWithinCaller(ctx, old);
    requireNoPerKeyLimits(ctx, "rotate keys");
    if (input.grace_hours > 0) await requireGraceQuota(tx, user, now);
    const fresh: KeyRecord = {
      ...old,
      id: newId(ctx.random, "key"),
      digest: digestKey(key),
      display: displayKey(key),
      createdAt: now,
      lastUsedAt: null,
      version: 1,
    };
    const graceEnd = now + Math.round(input.grace_hours * HOUR_MS);
    const expiresAt = Math.min(old.expiresAt ?? graceEnd, graceEnd);
    if ((await tx.keys.update(old, { expiresAt })) === null) {
      throw new AppError("conflict", "The key was changed by another request. Load it again.");
    }
    await tx.keys.insert(fresh);
    await recordAudit(tx, ctx, {
      action: "key.rotate",
      target: old.id,
      detail: { replaced_by: fresh.id, grace_hours: input.grace_hours },
    });
    return { ...(await toApiKey(tx, fresh, now)), key };
  });
}
