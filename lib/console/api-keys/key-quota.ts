import { AppError } from "../../errors";
import type { Repositories, Role, UserRecord } from "../../ports/store";

/**
 * Most API keys of one user that have not expired. Each can raise alerts and lengthen lists, so members get few;
 * administrators may need one per customer.
 */
const MAX_KEYS: Readonly<Record<Role, number>> = { member: 100, admin: 10_000, owner: 10_000 };
/** A rotated key and its predecessor are both valid during the grace period, so the total may reach twice the quota. */
const GRACE_QUOTA_FACTOR = 2;

type Owner = Pick<UserRecord, "id" | "role">;

/** Throws `conflict` when `owner` already has the maximum number of unexpired keys for their role. */
export async function requireKeyQuota(
  tx: Pick<Repositories, "keys">,
  owner: Owner,
  now: number,
): Promise<void> {
  const max = MAX_KEYS[owner.role];
  if ((await tx.keys.countUnexpired(owner.id, now)) < max) return;
  throw new AppError(
    "conflict",
    `A user may have at most ${max} unexpired API keys. Delete unused keys first.`,
  );
}

/**
 * Throws `conflict` when one more rotated key, valid beside its predecessor for the grace period, would exceed twice
 * the quota.
 */
export async function requireGraceQuota(
  tx: Pick<Repositories, "keys">,
  owner: Owner,
  now: number,
): Promise<void> {
  const max = GRACE_QUOTA_FACTOR * MAX_KEYS[owner.role];
  if ((await tx.keys.countUnexpired(owner.id, now)) < max) return;
  throw new AppError(
    "conflict",
    "Too many keys of this user are in their grace period. Rotate with grace_hours 0, or delete keys first.",
  );
}
