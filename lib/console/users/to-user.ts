import type { ManagedUser, Self, User } from "../../contracts/console/user";
import { toTimestamp } from "../../contracts/timestamp";
import type { Repositories, SessionRecord, UserRecord } from "../../ports/store";
import { shownBudget } from "./limits";

/** A user as the API returns it, field by field. */
export function toUser(user: UserRecord, hasTwoFactor: boolean): User {
  return {
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    email: user.email,
    role: user.role,
    enabled: user.enabled,
    two_factor_enabled: hasTwoFactor,
    created_at: toTimestamp(user.createdAt),
    version: user.version,
  };
}

/** The limits of all keys of a user together. */
export function shownLimits(user: UserRecord): Pick<ManagedUser, "rpm" | "tpm" | "concurrency" | "budget"> {
  const { rpm, tpm, concurrency } = user;
  return { rpm, tpm, concurrency, budget: shownBudget(user.budget) };
}

export function toSelf(user: UserRecord, session: SessionRecord, hasTwoFactor: boolean): Self {
  return {
    ...toUser(user, hasTwoFactor),
    locale: user.locale,
    login_method: session.method,
    session_expires_at: toTimestamp(session.expiresAt),
    ...shownLimits(user),
  };
}

/** True when the user's 2FA is enabled (a pending enrolment is not). */
export async function hasTwoFactor(
  store: Pick<Repositories, "twoFactors">,
  userId: string,
): Promise<boolean> {
  return (await store.twoFactors.find(userId))?.state === "enabled";
}
