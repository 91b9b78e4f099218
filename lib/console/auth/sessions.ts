import type { Settings } from "../../contracts/console/settings";
import type { SessionList } from "../../contracts/console/sign-in";
import { HOUR_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import type { Repositories, SessionRecord, UserRecord } from "../../ports/store";
import { requireSession } from "../access/guards";
import { readSettings } from "../access/read-settings";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { digestToken, newToken } from "./tokens";

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

/** The caller's live sessions, most recently used first. */
export async function listSessions(ctx: ConsoleContext): Promise<SessionList> {
  const { user, session } = requireSession(ctx);
  const now = ctx.clock.now();
  const { idleMs } = sessionLifetime(await readSettings(ctx.store), user.role);
  const all = await ctx.store.sessions.listByUser(user.id);
  const live = all.filter((one) => one.passwordVersion === user.passwordVersion && isAlive(one, idleMs, now));
  return {
    items: live
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt)
      .map((one) => ({
        id: one.id,
        device: one.device,
        address: one.address,
        created_at: toTimestamp(one.authenticatedAt),
        last_seen_at: toTimestamp(one.lastSeenAt),
        current: one.id === session.id,
      })),
  };
}

/** Ends one of the caller's sessions. Throws `not_found` for any other. */
export async function endSession(ctx: ConsoleContext, id: string): Promise<void> {
  const { user } = requireSession(ctx);
  await ctx.store.transaction(async (tx) => {
    const found = await tx.sessions.find(id);
    if (found?.userId !== user.id) throw new AppError("not_found", "Session not found.");
    await tx.sessions.delete(id);
    await recordAudit(tx, ctx, { action: "session.end", target: id });
  });
}

/** Ends all sessions of the caller except the present one. */
export async function endOtherSessions(ctx: ConsoleContext): Promise<void> {
  const { user, session } = requireSession(ctx);
  await ctx.store.transaction(async (tx) => {
    const ended = await tx.sessions.deleteByUser(user.id, session.id);
    await recordAudit(tx, ctx, { action: "session.end_others", target: user.id, detail: { ended } });
  });
}

/** Ends the caller's session, if there is one. */
export async function signOut(ctx: ConsoleContext): Promise<void> {
  const { caller } = ctx;
  if (caller.kind !== "session") return;
  await ctx.store.transaction(async (tx) => {
    if (await tx.sessions.delete(caller.session.id)) {
      await recordAudit(tx, ctx, { action: "logout", target: caller.user.id });
    }
  });
}

/** A new session and its cookie's ID, which is stored only as a digest. */
export interface StartedSession {
  sid: string;
  session: SessionRecord;
}

/** A user who has just signed in. */
export interface SignedIn {
  user: UserRecord;
  started: StartedSession;
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
