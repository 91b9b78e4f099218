import { AppError } from "../../errors";
import { newId } from "../../gateway/new-id";
import type { Random } from "../../ports/clock";
import type { Budget, CallLimits, Repositories, UserRecord } from "../../ports/store";
import { userNameKey } from "../auth/user-name-key";
import { applyBudget, applyCallLimits } from "./limits";

/** A new user's record. `passwordHash` is a PHC string. */
export function newUser(
  made: { random: Random; now: number },
  input: {
    username: string;
    email: string | null;
    displayName?: string;
    role: UserRecord["role"];
    passwordHash: string;
    limits?: CallLimits;
    budget?: Budget;
  },
): UserRecord {
  const email = input.email === "" ? null : input.email;
  return {
    id: newId(made.random, "usr"),
    username: input.username,
    usernameKey: userNameKey(input.username),
    displayName: input.displayName ?? input.username,
    email,
    emailKey: email === null ? null : userNameKey(email),
    role: input.role,
    enabled: true,
    passwordHash: input.passwordHash,
    passwordVersion: 1,
    locale: null,
    ...applyCallLimits(input.limits ?? {}),
    budget: input.budget ?? applyBudget(undefined),
    createdAt: made.now,
    version: 1,
  };
}

/**
 * Refuses a name or e-mail address that another user has as either: both can be used to sign in. `ownId`: the user who
 * may already have it. Throws `conflict` naming the field.
 */
export async function requireFreeNames(
  tx: Repositories,
  keys: { username?: string | null; email?: string | null },
  ownId: string | null,
): Promise<void> {
  for (const [field, key] of Object.entries(keys)) {
    if (key === null || key === undefined) continue;
    const holder = await tx.users.findByNameOrEmail(key);
    if (holder !== null && holder.id !== ownId) {
      const message =
        field === "email" ? "This e-mail address is already taken." : "This username is already taken.";
      throw new AppError("conflict", message, { issues: [{ path: field, message }] });
    }
  }
}
