import { newId } from "../../gateway/new-id";
import type { Random } from "../../ports/clock";
import type { Budget, CallLimits, UserRecord } from "../../ports/store";
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
