import { AppError } from "../../errors";
import { readSettings } from "../access/read-settings";
import { mustEnrol } from "../access/two-factor-roles";
import type { ConsoleCaller, ConsoleContext } from "../context";
import { peekSession } from "./find-live-session";

/**
 * The caller as the store has them now, for work that goes on long after they were let in; it counts as no use of a
 * session. Throws `unauthenticated` for a session or a key that has ended meanwhile, for a key that may not manage any
 * more, and where a second factor is required meanwhile that the user lacks.
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
        throw new AppError("unauthenticated", "The key may not manage any more.");
      const { two_factor_roles } = await readSettings(ctx.store);
      if (await mustEnrol(ctx.store, two_factor_roles, user))
        throw new AppError("unauthenticated", "The key's owner must enable two-factor authentication first.");
      return { kind: "manage-key", user, key };
    }
  }
}
