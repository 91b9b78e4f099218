import type { Settings } from "../../contracts/console/settings";
import type { SessionRecord, UserRecord } from "../../ports/store";

const HOUR_MS = 3_600_000;

/** Longest lifetime of a session of this role, and its idle timeout; both in milliseconds. */
export function sessionLifetime(
  settings: Pick<Settings, "session_hours">,
  role: UserRecord["role"],
): { absoluteMs: number; idleMs: number } {
  const hours = settings.session_hours;
  const [absolute, idle] =
    role === "member" ? [hours.member_absolute, hours.member_idle] : [hours.admin_absolute, hours.admin_idle];
  // The store holds whole milliseconds; hours may be fractions.
  return { absoluteMs: Math.round(absolute * HOUR_MS), idleMs: Math.round(idle * HOUR_MS) };
}

/** False when the session has reached its end or was left unused too long. */
export function isAlive(session: SessionRecord, idleMs: number, now: number): boolean {
  return now < session.expiresAt && now < session.lastSeenAt + idleMs;
}
