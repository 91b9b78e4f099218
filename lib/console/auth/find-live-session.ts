import { AppError, hasCode } from "../../errors";
import type { SessionRecord, UserRecord } from "../../ports/store";
import { readSettings } from "../access/read-settings";
import { mustEnrol } from "../access/two-factor-roles";
import type { ConsoleCaller, ConsoleContext, ConsoleServices } from "../context";
import { isAlive, sessionLifetime } from "./sessions";
import { digestToken } from "./tokens";

/** Session uses closer together than this are not written to the store. */
const TOUCH_MS = 60_000;

export interface LiveSession {
  user: UserRecord;
  session: SessionRecord;
  /** The user's role requires 2FA and they have not enabled it. */
  mustEnrol: boolean;
}

/** Looks a session up by its stored ID, without recording a use. */
export async function peekSession(
  services: Pick<ConsoleServices, "store" | "clock">,
  id: string,
): Promise<LiveSession | null> {
  const session = await services.store.sessions.find(id);
  if (session === null) return null;
  const user = await services.store.users.findById(session.userId);
  if (user === null || !user.enabled || user.passwordVersion !== session.passwordVersion) return null;
  const settings = await readSettings(services.store);
  const { idleMs } = sessionLifetime(settings, user.role);
  if (!isAlive(session, idleMs, services.clock.now())) return null;
  return { user, session, mustEnrol: await mustEnrol(services.store, settings.two_factor_roles, user) };
}

/**
 * The session of a cookie's ID with its user as stored now; null when it was ended, has expired, or belongs to a
 * disabled user or an older password.
 */
export async function findLiveSession(
  services: Pick<ConsoleServices, "store" | "clock" | "log">,
  sid: string,
): Promise<LiveSession | null> {
  const found = await peekSession(services, digestToken(sid));
  if (found === null) return null;
  const { session } = found;
  const now = services.clock.now();
  if (now - session.lastSeenAt < TOUCH_MS) return found;
  try {
    await services.store.sessions.touch(session.id, now);
  } catch (error) {
    // With a full or read-only store users must still be able to see what is wrong.
    if (!hasCode(error, "storage_unavailable")) throw error;
    services.log.warn("session_touch_failed", { code: error.code });
  }
  return { ...found, session: { ...session, lastSeenAt: now } };
}

/**
 * The caller as stored now, for work that continues long after authentication; does not count as a use of the session.
 * Throws `unauthenticated` for a session or key that has ended, for a key that may no longer manage, and when the
 * user's role now requires 2FA that they have not enabled.
 */
export async function requireLiveCaller(
  ctx: Pick<ConsoleContext, "store" | "clock" | "caller">,
): Promise<ConsoleCaller> {
  const { caller } = ctx;
  switch (caller.kind) {
    case "anonymous":
      return caller;
    case "session": {
      const found = await peekSession(ctx, caller.session.id);
      if (found === null || found.mustEnrol) throw new AppError("unauthenticated", "The session has ended.");
      return { kind: "session", ...found };
    }
    case "manage-key": {
      const key = await ctx.store.keys.findById(caller.key.id);
      const user = key && (await ctx.store.users.findById(key.ownerId));
      const isAlive = key?.enabled && (key.expiresAt === null || key.expiresAt > ctx.clock.now());
      if (!key || !isAlive || !key.operations.includes("manage") || !user?.enabled || user.role === "member")
        throw new AppError("unauthenticated", "This API key no longer has the operation 'manage'.");
      const { two_factor_roles } = await readSettings(ctx.store);
      if (await mustEnrol(ctx.store, two_factor_roles, user))
        throw new AppError("unauthenticated", "The key's owner must enable two-factor authentication first.");
      return { kind: "manage-key", user, key };
    }
  }
}
