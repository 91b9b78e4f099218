import type { Settings } from "../../contracts/console/settings";
import { AppError } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";

type Roles = Settings["two_factor_roles"];

/** True when the user's role needs a second factor and they have none: only their account is open to them then. */
export async function mustEnrol(
  store: Pick<Repositories, "twoFactors">,
  roles: Roles,
  user: UserRecord,
): Promise<boolean> {
  if (!roles.includes(user.role)) return false;
  return (await store.twoFactors.find(user.id))?.state !== "enabled";
}

function refuse(message: string): AppError {
  return new AppError("invalid", message, { issues: [{ path: "two_factor_roles", message }] });
}

/**
 * Nobody asks of their own role what they have not done, nor of the owner what the owner has not chosen. Throws
 * `invalid`, `forbidden`.
 */
export async function requireOwnFactor(
  tx: Pick<Repositories, "twoFactors">,
  user: UserRecord,
  before: Roles,
  after: Roles,
): Promise<void> {
  if (user.role !== "owner" && before.includes("owner") !== after.includes("owner"))
    throw new AppError("forbidden", "Only the owner asks a second factor of the owner.");
  const isNew = after.includes(user.role) && !before.includes(user.role);
  if (isNew && (await mustEnrol(tx, after, user)))
    throw refuse("Switch on your own second factor first: this would shut you out.");
}
