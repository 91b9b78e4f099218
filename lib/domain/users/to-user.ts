import { toTimestamp } from "../../contracts/timestamp";
import type { Self, User } from "../../contracts/user";
import type { Repositories, SessionRecord, UserRecord } from "../../ports/store";

/** What may be told of a user, field by field. */
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

export function toSelf(user: UserRecord, session: SessionRecord, hasTwoFactor: boolean): Self {
  return {
    ...toUser(user, hasTwoFactor),
    locale: user.locale,
    login_method: session.method,
    session_expires_at: toTimestamp(session.expiresAt),
  };
}

/** True when the user's second factor is in force (a pending enrolment is not). */
export async function hasTwoFactor(
  store: Pick<Repositories, "twoFactors">,
  userId: string,
): Promise<boolean> {
  return (await store.twoFactors.find(userId))?.state === "enabled";
}
