import type { Settings } from "../../contracts/console/settings";
import { AppError, invalidField } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";

type Roles = Settings["two_factor_roles"];

/** True when the user's role requires 2FA and they have not enabled it: until then they reach only their account. */
export async function mustEnrol(
  store: Pick<Repositories, "twoFactors">,
  roles: Roles,
  user: UserRecord,
): Promise<boolean> {
  if (!roles.includes(user.role)) return false;
  return (await store.twoFactors.find(user.id))?.state !== "enabled";
}

/**
 * Users may require 2FA of their own role only after enabling it, and only the owner may require it of the owner.
 * Throws `invalid`, `forbidden`.
 */
export async function requireOwnTwoFactor(
  tx: Pick<Repositories, "twoFactors">,
  user: UserRecord,
  before: Roles,
  after: Roles,
): Promise<void> {
  if (user.role !== "owner" && before.includes("owner") !== after.includes("owner"))
    throw new AppError("forbidden", "Only the owner may change whether the owner needs 2FA.");
  const isNew = after.includes(user.role) && !before.includes(user.role);
  if (isNew && (await mustEnrol(tx, after, user))) {
    throw invalidField("two_factor_roles", "Enable 2FA for your own account first: this would lock you out.");
  }
}
