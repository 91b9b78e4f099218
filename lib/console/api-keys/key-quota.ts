import { AppError } from "../../errors";
import type { Repositories, Role, UserRecord } from "../../ports/store";

/**
 * API keys of one user that have not expired. Each may raise alerts and fill lists of its own, so a member has only
 * so many; an administrator's programs may keep one for each of their customers.
 */
const MOST_KEYS: Readonly<Record<Role, number>> = { member: 100, admin: 10_000, owner: 10_000 };
/** Of all of one's keys each may be rotated once while the one before it still lives out its hours. */
const IN_GRACE = 2;

type Owner = Pick<UserRecord, "id" | "role">;

/** Throws `conflict` when `owner` has as many living keys as one may have. */
export async function requireRoomForKey(
  tx: Pick<Repositories, "keys">,
  owner: Owner,
  now: number,
): Promise<void> {
  const most = MOST_KEYS[owner.role];
  if ((await tx.keys.countLiving(owner.id, now)) < most) return;
  throw new AppError(
    "conflict",
    `One user has at most ${most} keys that have not expired. Delete some that are not used any more first.`,
  );
}

/** The same for a key that takes another's place, which goes on beside it for a while. */
export async function requireRoomForGrace(
  tx: Pick<Repositories, "keys">,
  owner: Owner,
  now: number,
): Promise<void> {
  const most = IN_GRACE * MOST_KEYS[owner.role];
  if ((await tx.keys.countLiving(owner.id, now)) < most) return;
  throw new AppError(
    "conflict",
    "Too many of this user's keys live out their hours of grace. Rotate without grace, or delete some first.",
  );
}
