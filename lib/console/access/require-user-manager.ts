import { AppError } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";
import type { ReadContext } from "../context";
import { outranks, requireSignedInAdmin } from "./guards";

/** An owner or admin signed in by session; manage keys never change users. */
export function requireUserManager(ctx: ReadContext): UserRecord {
  return requireSignedInAdmin(ctx);
}

/** The user to change. Throws `not_found`; `forbidden` for the caller's own account, an equal or a higher role. */
export async function findManageable(tx: Repositories, actor: UserRecord, id: string): Promise<UserRecord> {
  const target = await tx.users.findById(id);
  if (target === null) throw new AppError("not_found", "There is no such user.");
  if (target.id === actor.id) {
    throw new AppError("forbidden", "Change your own account on the account page.");
  }
  if (!outranks(actor, target)) {
    throw new AppError("forbidden", "Only a user with a higher role may change this user.");
  }
  return target;
}
