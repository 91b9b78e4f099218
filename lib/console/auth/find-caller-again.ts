import { AppError } from "../../errors";
import { readSettings } from "../access/read-settings";
import { mustEnrol } from "../access/two-factor-roles";
import type { ConsoleCaller, ConsoleContext } from "../context";
import { peekSession } from "./find-live-session";

/**
 * The caller as stored now, for work that continues long after authentication; does not count as a use of the session.
 * Throws `unauthenticated` for a session or key that has ended, for a key that may no longer manage, and when the
 * user's role now requires 2FA that they have not enabled.
 */
export async function findCallerAgain(
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
        throw new AppError("unauthenticated", "This API key may no longer manage.");
      const { two_factor_roles } = await readSettings(ctx.store);
      if (await mustEnrol(ctx.store, two_factor_roles, user))
        throw new AppError("unauthenticated", "The key's owner must enable two-factor authentication first.");
      return { kind: "manage-key", user, key };
    }
  }
}
