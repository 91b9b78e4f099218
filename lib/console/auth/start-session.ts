import { AppError } from "../../errors";
import type { Repositories, SessionRecord, UserRecord } from "../../ports/store";
import { readSettings } from "../access/read-settings";
import type { ConsoleContext } from "../context";
import { sessionLifetime } from "./sessions";
import { digestToken, newToken } from "./tokens";

/** A new session and its cookie's ID, which is stored only as a digest. */
export interface StartedSession {
  sid: string;
  session: SessionRecord;
}

/** The part of the request that a new session records. */
type Visitor = Pick<ConsoleContext, "clock" | "random" | "peer" | "device">;

/**
 * Starts a session: the only function that does, for initial setup, sign-in, 2FA and password changes. Refuses a
 * disabled user, and one with 2FA unless `method` says that a code was verified.
 */
export async function startSession(
  tx: Repositories,
  ctx: Visitor,
  user: UserRecord,
  method: SessionRecord["method"],
): Promise<StartedSession> {
  const twoFactor = await tx.twoFactors.find(user.id);
  const hasPassed = method === "totp" || method === "backup_code";
  if (!user.enabled || (twoFactor?.state === "enabled" && !hasPassed)) {
    throw new AppError("internal", "A session was requested before authentication was complete.");
  }
  const now = ctx.clock.now();
  const sid = newToken(ctx.random);
  const { absoluteMs } = sessionLifetime(await readSettings(tx), user.role);
  const session: SessionRecord = {
    id: digestToken(sid),
    userId: user.id,
    authenticatedAt: now,
    lastSeenAt: now,
    expiresAt: now + absoluteMs,
    device: ctx.device,
    address: ctx.peer.address ?? "",
    method,
    passwordVersion: user.passwordVersion,
  };
  await tx.sessions.insert(session);
  return { sid, session };
}
