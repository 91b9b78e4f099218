import type { SessionList } from "../../contracts/console/sessions";
import { toTimestamp } from "../../contracts/timestamp";
import { requireSession } from "../access/guards";
import { readSettings } from "../access/read-settings";
import type { ConsoleContext } from "../context";
import { isAlive, sessionLifetime } from "./session-lifetime";

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
