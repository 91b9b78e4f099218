import type { CreateUser, ManagedUser, UpdateUser } from "../../contracts/console/user";
import { AppError } from "../../errors";
import type { Instance } from "../../ports/instance";
import type { Repositories, UserRecord } from "../../ports/store";
import {
  findManageable,
  outranks,
  requireSignedInAdmin,
  requireSignedInOperator,
  requireWritableSite,
  stillOutranks,
} from "../access/guards";
import { type ActorContext, recordAudit } from "../audit/record";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import { clearThrottles, throttleSubjects } from "../auth/sign-in-throttle";
import { removeTwoFactor } from "../auth/two-factor/manage";
import { userNameKey } from "../auth/user-name-key";
import type { ConsoleContext } from "../context";
import { applyBudget, applyCallLimits, shownBudget } from "./limits";
import { toManagedUser } from "./managed-users";
import { newUser, requireFreeNames } from "./new-user";

/** Creates a user of a lower role than the caller's. Throws `forbidden`, `invalid`, `conflict`. */
export async function createUser(ctx: ConsoleContext, input: CreateUser): Promise<ManagedUser> {
  const actor = requireSignedInAdmin(ctx);
  const mayAdd = (does: boolean): void => {
    if (!does) throw new AppError("forbidden", "You may only add users with a lower role than yours.");
  };
  mayAdd(outranks(actor, input));
  await requireWritableSite(ctx, actor);
  const email = input.email ?? null;
  requireGoodPassword(ctx.instance, input.password, { username: input.username, email }, "password");
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.password), "sign-in");
  const user = newUser(
    { random: ctx.random, now: ctx.clock.now() },
    {
      username: input.username,
      email,
      displayName: input.display_name,
      role: input.role,
      passwordHash,
      limits: applyCallLimits(input),
      budget: applyBudget(input.budget),
    },
  );
  return ctx.store.transaction(async (tx) => {
    // Hashing may have waited in its queue.
    mayAdd(await stillOutranks(tx, actor, input));
    await requireFreeNames(tx, { username: user.usernameKey, email: user.emailKey }, null);
    await tx.users.insert(user);
    const { username, role } = user;
    await recordAudit(tx, ctx, { action: "user.create", target: user.id, detail: { username, role } });
    return toManagedUser(tx, ctx, user);
  });
}

/**
 * Changes a user of a lower role. Disabling, a new role or a new password ends the user's sessions and pending
 * sign-ins; a new password also clears the delays of wrong ones. Throws `not_found`, `forbidden`, `invalid`, `conflict`
 * (stale version, e-mail taken).
 */
export async function updateUser(ctx: ConsoleContext, id: string, input: UpdateUser): Promise<ManagedUser> {
  const actor = await requireSignedInOperator(ctx);
  const before = await findManageable(ctx.store, actor, id);
  const mayAssign = (does: boolean): void => {
    if (!does) throw new AppError("forbidden", "You may only assign a lower role than yours.");
  };
  const assigned = input.role === undefined ? null : { role: input.role };
  mayAssign(assigned === null || outranks(actor, assigned));
  const passwordHash = await newHash(ctx, before, input.password);
  const emailKey = input.email ? userNameKey(input.email) : input.email;
  return ctx.store.transaction(async (tx) => {
    const present = await findManageable(tx, actor, id);
    mayAssign(assigned === null || (await stillOutranks(tx, actor, assigned)));
    await requireFreeNames(tx, { email: emailKey }, id);
    const changed = await tx.users.update(
      { id, version: input.version },
      {
        displayName: input.display_name,
        email: input.email,
        emailKey,
        role: input.role,
        enabled: input.enabled,
        ...applyCallLimits(input, present),
        budget: applyBudget(input.budget, present.budget),
        ...(passwordHash === null ? {} : { passwordHash, passwordVersion: present.passwordVersion + 1 }),
      },
    );
    if (changed === null)
      throw new AppError("conflict", "The user was changed by another request. Load it again.");
    const endsSessions =
      changed.role !== present.role || changed.enabled !== present.enabled || passwordHash !== null;
    if (endsSessions) {
      await tx.sessions.deleteByUser(id);
      await tx.flows.deleteByUser(id);
    }
    if (passwordHash !== null) await clearLocks(tx, ctx, changed);
    const { version: _, password: __, budget, ...fields } = input;
    const shown = budget === undefined ? fields : { ...fields, budget: shownBudget(changed.budget) };
    await recordAudit(tx, ctx, {
      action: "user.update",
      target: id,
      detail: { before: auditedFields(present), change: shown, password: passwordHash !== null },
    });
    return toManagedUser(tx, ctx, changed);
  });
}

async function newHash(
  ctx: ConsoleContext,
  user: UserRecord,
  password: string | undefined,
): Promise<string | null> {
  if (password === undefined) return null;
  requireGoodPassword(ctx.instance, password, user, "password");
  return ctx.hasher.hash(canonicalPassword(password), "sign-in");
}

function auditedFields(user: UserRecord): Record<string, unknown> {
  const { role, enabled, displayName, email, rpm, tpm, concurrency } = user;
  const budget = shownBudget(user.budget);
  return { role, enabled, display_name: displayName, email, rpm, tpm, concurrency, budget };
}

/** Runs `work` on a user of a lower role, in one transaction. Throws `not_found`, `forbidden`. */
async function change(
  ctx: ConsoleContext,
  id: string,
  work: (tx: Repositories, user: UserRecord) => Promise<void>,
): Promise<void> {
  const actor = await requireSignedInOperator(ctx);
  await ctx.store.transaction(async (tx) => work(tx, await findManageable(tx, actor, id)));
}

/** Clears the delays of a user's sign-in and password and the lock of their two-factor sign-in. */
export async function clearLocks(
  tx: Repositories,
  ctx: Pick<ConsoleContext, "cipher">,
  user: UserRecord,
): Promise<void> {
  await tx.twoFactors.clearFailures(user.id);
  await clearThrottles(tx, ctx, throttleSubjects(user));
}

/** Unlocks a user of a lower role. Throws `not_found`, `forbidden`. */
export async function unlockUser(ctx: ConsoleContext, id: string): Promise<void> {
  await change(ctx, id, async (tx, user) => {
    await clearLocks(tx, ctx, user);
    await recordAudit(tx, ctx, { action: "user.unlock", target: id });
  });
}

/** Ends all sessions and pending sign-ins of a user of a lower role. Throws `not_found`, `forbidden`. */
export async function endUserSessions(ctx: ConsoleContext, id: string): Promise<void> {
  await change(ctx, id, async (tx) => {
    const ended = await tx.sessions.deleteByUser(id);
    await tx.flows.deleteByUser(id);
    await recordAudit(tx, ctx, { action: "session.end_all", target: id, detail: { ended } });
  });
}

/**
 * Disables 2FA of a user of a lower role, such as one who has lost the authenticator and the backup codes, and ends
 * their sessions. Throws `not_found`, `forbidden`.
 */
export async function resetTwoFactor(ctx: ConsoleContext, id: string): Promise<void> {
  await change(ctx, id, async (tx) => {
    await removeTwoFactor(tx, id);
    await recordAudit(tx, ctx, { action: "2fa.reset", target: id });
  });
}

/** Deletes a user of a lower role with their sessions and keys. Throws `not_found`, `forbidden`. */
export async function deleteUser(ctx: ConsoleContext, id: string): Promise<void> {
  await change(ctx, id, async (tx, user) => {
    await tx.sessions.deleteByUser(id);
    await tx.flows.deleteByUser(id);
    await tx.users.delete(id);
    await recordAudit(tx, ctx, {
      action: "user.delete",
      target: id,
      detail: { username: user.username, role: user.role },
    });
  });
}

interface Resetter extends ActorContext, Pick<ConsoleContext, "store" | "hasher" | "cipher"> {
  instance: Pick<Instance, "passwordMinimum">;
}

/**
 * Sets a user's password without asking for the present one, for a caller that is already authorised. Ends the user's
 * sessions and pending sign-ins and clears their delays; 2FA stays on. Throws `invalid`, `conflict` (changed by another
 * request).
 */
export async function resetPassword(ctx: Resetter, user: UserRecord, password: string): Promise<void> {
  requireGoodPassword(ctx.instance, password, user, "password");
  const passwordHash = await ctx.hasher.hash(canonicalPassword(password), "sign-in");
  await ctx.store.transaction(async (tx) => {
    const changed = await tx.users.update(user, { passwordHash, passwordVersion: user.passwordVersion + 1 });
    if (changed === null)
      throw new AppError("conflict", "The user was changed by another request. Try again.");
    await tx.sessions.deleteByUser(user.id);
    await tx.flows.deleteByUser(user.id);
    await clearLocks(tx, ctx, user);
    await recordAudit(tx, ctx, { action: "password.reset", target: user.id });
  });
}
