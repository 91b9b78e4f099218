import { AppError } from "../../errors";
import type { KeyRecord, Operation, Repositories, UserRecord } from "../../ports/store";
import { outranks, requireUser } from "../access/guards";
import type { ConsoleContext } from "../context";

const NO_SUCH_KEY = "API key not found.";

/** A key that the caller may see: their own, or any for administrators; never a playground key. Throws `not_found`. */
export async function findVisibleKey(
  store: Pick<Repositories, "keys">,
  ctx: ConsoleContext,
  id: string,
): Promise<KeyRecord> {
  const user = requireUser(ctx);
  const key = await store.keys.findById(id);
  const isTheirs = key?.ownerId === user.id || user.role !== "member";
  if (key === null || key.kind !== "api" || !isTheirs) throw new AppError("not_found", NO_SUCH_KEY);
  return key;
}

/**
 * A key that the caller may change: their own, or one of a user with a lower role. A management key cannot change
 * management keys. Throws `not_found`, `forbidden`.
 */
export async function findChangeableKey(
  tx: Pick<Repositories, "keys" | "users">,
  ctx: ConsoleContext,
  id: string,
): Promise<KeyRecord> {
  const user = requireUser(ctx);
  const key = await findVisibleKey(tx, ctx, id);
  if (key.ownerId !== user.id) {
    const owner = await tx.users.findById(key.ownerId);
    if (owner !== null && !outranks(user, owner)) {
      throw new AppError(
        "forbidden",
        "Only the owner of this key, or a user with a higher role, may change it.",
      );
    }
  }
  if (ctx.caller.kind === "manage-key" && key.operations.includes("manage")) {
    throw new AppError(
      "forbidden",
      "An API key cannot change a key with the operation 'manage'. Sign in instead.",
    );
  }
  return key;
}

/** Throws `forbidden` when a key of a user with this role may not have these operations. */
export function requireRoleMayUse(
  { role }: Pick<UserRecord, "role">,
  operations: readonly Operation[],
): void {
  if (operations.includes("manage") && role === "member") {
    throw new AppError("forbidden", "Only keys of admins and owners can have the operation 'manage'.");
  }
}

/** Throws `forbidden` when the caller may not grant these operations to a key of `owner`. */
export function requireGrantable(
  ctx: ConsoleContext,
  owner: Pick<UserRecord, "role">,
  operations: readonly Operation[],
): void {
  if (!operations.includes("manage")) return;
  if (ctx.caller.kind !== "session") {
    throw new AppError(
      "forbidden",
      "An API key cannot create a key with the operation 'manage'. Sign in instead.",
    );
  }
  requireRoleMayUse(owner, operations);
  requireRoleMayUse(ctx.caller.user, operations);
}

export function staleKey(): AppError {
  return new AppError("conflict", "The key was changed by another request. Load it again.");
}

/** `text` as milliseconds since 1970; null stays null. Throws `invalid` for a time that has passed. */
export function readExpiry(text: string | null, now: number): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (at > now) return at;
  const message = "Must be in the future.";
  throw new AppError("invalid", `expires_at: ${message}`, { issues: [{ path: "expires_at", message }] });
}
