import { isHigherRole } from "../../contracts/rank";
import { AppError } from "../../errors";
import type { Repositories, SessionRecord, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";

/**
 * The signed-in user and their session. Throws `unauthenticated`; `forbidden` for a manage key, which never changes
 * accounts.
 */
export function requireSession(ctx: Pick<ConsoleContext, "caller">): {
  user: UserRecord;
  session: SessionRecord;
} {
  switch (ctx.caller.kind) {
    case "session":
      return ctx.caller;
    case "manage-key":
      throw new AppError("forbidden", "This requires a signed-in session; an API key is not accepted.");
    case "anonymous":
      throw new AppError("unauthenticated", "Sign in first.");
  }
}

/** The authenticated user, by session or manage key. Throws `unauthenticated`. */
export function requireUser(ctx: Pick<ConsoleContext, "caller">): UserRecord {
  if (ctx.caller.kind === "anonymous") throw new AppError("unauthenticated", "Sign in first.");
  return ctx.caller.user;
}

/** Owner or admin, by session or manage key. Throws `unauthenticated`, `forbidden`. */
export function requireAdmin(ctx: Pick<ConsoleContext, "caller">): UserRecord {
  const user = requireUser(ctx);
  if (user.role === "member") throw new AppError("forbidden", "This requires the role admin or owner.");
  return user;
}

/** Owner or admin, signed in: for data that no API key may see or change. Throws `unauthenticated`, `forbidden`. */
export function requireSignedInAdmin(ctx: Pick<ConsoleContext, "caller">): UserRecord {
  requireSession(ctx);
  return requireAdmin(ctx);
}

/** True when the role of `actor` is higher than that of `target`; users never change an equal or a higher role. */
export function outranks(actor: UserRecord, target: Pick<UserRecord, "role">): boolean {
  return isHigherRole(actor.role, target.role);
}

/** The signed-in owner. Throws `unauthenticated`; `forbidden` with `message` for every other user. */
export function requireOwner(ctx: ConsoleContext, message: string): UserRecord {
  const { user } = requireSession(ctx);
  if (user.role === "owner") return user;
  throw new AppError("forbidden", message);
}

/** The user to change. Throws `not_found`; `forbidden` for the caller's own account, an equal or a higher role. */
export async function findManageable(tx: Repositories, actor: UserRecord, id: string): Promise<UserRecord> {
  const target = await tx.users.findById(id);
  if (target === null) throw new AppError("not_found", "User not found.");
  if (target.id === actor.id) {
    throw new AppError("forbidden", "Change your own account on the account page.");
  }
  if (!outranks(actor, target)) {
    throw new AppError("forbidden", "Only a user with a higher role may change this user.");
  }
  return target;
}
