import { isHigherRole } from "../../contracts/rank";
import { AppError } from "../../errors";
import type { ChannelRecord, Repositories, SessionRecord, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { readSettings } from "./read-settings";

/**
 * The signed-in user and their session. Throws `unauthenticated`; `forbidden` for a management key, which never changes
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

/** The authenticated user, by session or management key. Throws `unauthenticated`. */
export function requireUser(ctx: Pick<ConsoleContext, "caller">): UserRecord {
  if (ctx.caller.kind === "anonymous") throw new AppError("unauthenticated", "Sign in first.");
  return ctx.caller.user;
}

/** Owner or admin, by session or management key. Throws `unauthenticated`, `forbidden`. */
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
export function requireOwner(ctx: Pick<ConsoleContext, "caller">, message: string): UserRecord {
  const { user } = requireSession(ctx);
  if (user.role === "owner") return user;
  throw new AppError("forbidden", message);
}

/** As `outranks`, for the actor as stored now: they may have been demoted or disabled since they were authenticated. */
export async function stillOutranks(
  tx: Repositories,
  actor: UserRecord,
  target: Pick<UserRecord, "role">,
): Promise<boolean> {
  const present = await tx.users.findById(actor.id);
  return present?.enabled === true && outranks(present, target);
}

/** The user to change. Throws `not_found`; `forbidden` for the caller's own account, an equal or a higher role. */
export async function findManageable(tx: Repositories, actor: UserRecord, id: string): Promise<UserRecord> {
  const target = await tx.users.findById(id);
  if (target === null) throw new AppError("not_found", "User not found.");
  if (target.id === actor.id) {
    throw new AppError("forbidden", "Change your own account on the account page.");
  }
  if (!(await stillOutranks(tx, actor, target))) {
    throw new AppError("forbidden", "Only a user with a higher role may change this user.");
  }
  return target;
}

/** Throws `forbidden` when this is a demo site and `user` is not its owner. Guards every configuration change. */
export async function requireWritableSite(ctx: ConsoleContext, user: UserRecord): Promise<void> {
  if (user.role === "owner") return;
  const { demo_site: isDemo } = await readSettings(ctx.store);
  if (isDemo) throw new AppError("forbidden", "This is a demo site: only its owner can change settings.");
}

/**
 * The owner or an admin, by session or management key, unless a demo site refuses them: may change channels and models.
 */
export async function requireOperator(ctx: ConsoleContext): Promise<UserRecord> {
  const user = requireAdmin(ctx);
  await requireWritableSite(ctx, user);
  return user;
}

/** The signed-in owner or an admin, unless a demo site refuses them: may change users and settings; API keys may not. */
export async function requireSignedInOperator(ctx: ConsoleContext): Promise<UserRecord> {
  const user = requireSignedInAdmin(ctx);
  await requireWritableSite(ctx, user);
  return user;
}

/** The channel. Throws `not_found`. */
export async function getChannelRecord(
  store: Pick<Repositories, "channels">,
  id: string,
): Promise<ChannelRecord> {
  const record = await store.channels.find(id);
  if (record === null) throw new AppError("not_found", "Channel not found.");
  return record;
}

export function staleVersion(): AppError {
  return new AppError(
    "conflict",
    "This was changed by another request. Load it again and repeat your change.",
  );
}
