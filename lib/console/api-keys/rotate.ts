import { z } from "zod";
import { type ApiKeyWithSecret, MAX_GRACE_HOURS, type RotateKey } from "../../contracts/console/api-keys";
import { HOUR_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import { digestKey, displayKey, makeKey } from "../../gateway/admission/key-format";
import { newId } from "../../gateway/new-id";
import type { AuditRecord, KeyRecord, Page, Repositories } from "../../ports/store";
import { requireUser } from "../access/guards";
import { readSettings } from "../access/read-settings";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { raiseVersion } from "../settings/update";
import { requireGraceQuota } from "./key-quota";
import { requireNoPerKeyLimits, requireWithinCaller } from "./limits";
import { findChangeableKey, staleKey } from "./permissions";
import { toApiKey } from "./to-api-key";

const MAX_GRACE_MS = MAX_GRACE_HOURS * HOUR_MS;

/**
 * Replaces a key. The new key has the limits of the old one, the record of who set them, and its spending so far; from
 * then on each key has its own copy of the remaining budget. The old key stays valid for `grace_hours`, and its alert
 * rule passes to the new key. Only for the caller's own keys: the caller sees the secret, which can spend the owner's
 * budget. Throws `not_found`, `forbidden`, `conflict` (changed by another request, expired, already rotated, or too
 * many keys in their grace period).
 */
export async function rotateKey(
  ctx: ConsoleContext,
  id: string,
  input: RotateKey,
): Promise<ApiKeyWithSecret> {
  const user = requireUser(ctx);
  const now = ctx.clock.now();
  const old = await findChangeableKey(ctx.store, ctx, id);
  if (old.ownerId !== user.id) throw new AppError("forbidden", "Only the owner of a key may rotate it.");
  requireNoPerKeyLimits(ctx, "rotate keys");
  if (old.expiresAt !== null && old.expiresAt <= now) {
    throw new AppError("conflict", "This key has expired and cannot be rotated. Create a new key instead.");
  }
  const { deleted, expiresAt } = await requireNotRotated(ctx.store, old, now);
  requireWithinCaller(ctx, { ...old, expiresAt });
  const key = makeKey(ctx.random);
  return ctx.store.transaction(async (tx) => {
    if (input.grace_hours > 0) await requireGraceQuota(tx, user, now);
    const fresh: KeyRecord = {
      ...old,
      id: newId(ctx.random, "key"),
      digest: digestKey(key),
      display: displayKey(key),
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      version: 1,
    };
    const graceEnd = now + Math.round(input.grace_hours * HOUR_MS);
    const graceEndsAt = Math.min(old.expiresAt ?? graceEnd, graceEnd);
    // Null also when another request rotated the key after requireNotRotated had checked it.
    if ((await tx.keys.update(old, { expiresAt: graceEndsAt })) === null) throw staleKey();
    await tx.keys.insert(fresh);
    await tx.keys.copySpent([old.id, ...deleted], fresh.id, now);
    await moveAlertRule(tx, [old.id, ...deleted], fresh.id);
    await recordAudit(tx, ctx, {
      action: "key.rotate",
      target: old.id,
      detail: {
        replaced_by: fresh.id,
        grace_hours: input.grace_hours,
        grace_ends_at: graceEndsAt,
        expires_at: expiresAt,
      } satisfies Rotation & { grace_hours: number },
    });
    return { ...(await toApiKey(tx, fresh, now)), key };
  });
}

/** Moves an alert rule to the key `toId`: that of the first of `fromIds` that has one. A key has at most one rule. */
async function moveAlertRule(tx: Repositories, fromIds: readonly string[], toId: string): Promise<void> {
  const { alerts } = await readSettings(tx);
  const rules = alerts.rules.filter((rule) => rule.scope === "key");
  const moved = fromIds.flatMap((id) => rules.filter((rule) => rule.key_id === id))[0];
  if (moved === undefined) return;
  await raiseVersion(tx, "any");
  const after = alerts.rules.map((rule) => (rule === moved ? { ...moved, key_id: toId } : rule));
  await tx.settings.put("alerts", { ...alerts, rules: after });
}

/** A rotation in the audit log: the end of the old key's grace period and the new key's expiry, in ms since 1970. */
const Rotation = z.object({
  replaced_by: z.string(),
  // Absent from entries of earlier versions.
  grace_ends_at: z.number().optional(),
  expires_at: z.number().nullable().optional(),
});
type Rotation = z.infer<typeof Rotation>;

/**
 * Throws `conflict` when the key is in its grace period and the key that replaced it still exists: a repeated request
 * would create another valid key, and the secret of one of them is lost. Returns `deleted`: the IDs of the key's
 * successive replacements, all deleted by now, whose spending the next replacement takes over; and `expiresAt`: the
 * expiry of the next replacement, which is the key's own or, where that is only the end of its grace period, the expiry
 * that the last replacement had. Rotations are recorded in the audit log, which has no index by target: all rotations
 * of the last 24 hours are read, so only for keys that expire within that time, and outside of the write transaction,
 * which would block other writes.
 */
async function requireNotRotated(
  store: Pick<Repositories, "audit" | "keys">,
  key: KeyRecord,
  now: number,
): Promise<{ deleted: string[]; expiresAt: number | null }> {
  const deleted: string[] = [];
  const { expiresAt } = key;
  if (expiresAt === null || expiresAt > now + MAX_GRACE_MS) return { deleted, expiresAt };
  const rotations = await rotationsSince(store, now - MAX_GRACE_MS);
  for (let one = rotations.get(key.id); one !== undefined; one = rotations.get(one.replaced_by)) {
    if ((await store.keys.findById(one.replaced_by)) !== null) {
      throw new AppError(
        "conflict",
        "This key was already rotated and is in its grace period. Use the key that replaced it; if its secret is lost, " +
          "delete that key and rotate this one again.",
      );
    }
    deleted.push(one.replaced_by);
  }
  const last = rotations.get(key.id);
  return last?.grace_ends_at === expiresAt && last.expires_at !== undefined
    ? { deleted, expiresAt: last.expires_at }
    : { deleted, expiresAt };
}

/** The last rotation of each key that was rotated at `since` or later, by the key's ID. */
async function rotationsSince(
  store: Pick<Repositories, "audit">,
  since: number,
): Promise<Map<string, Rotation>> {
  const last = new Map<string, Rotation>();
  let cursor: string | null = null;
  do {
    const rotations = { actions: ["key.rotate"], from: since };
    const page: Page<AuditRecord> = await store.audit.list({ limit: 100, cursor, q: null, ...rotations });
    // Newest first.
    for (const { target, detail } of page.items) {
      const { data } = Rotation.safeParse(detail);
      if (data !== undefined && !last.has(target)) last.set(target, data);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return last;
}
