import type { ManagedUser, UpdateUser } from "../../contracts/console/user";
import { AppError } from "../../errors";
import type { UserRecord } from "../../ports/store";
import { outranks } from "../access/guards";
import { requireWritableSite } from "../access/require-operator";
import { findManageable, requireUserManager } from "../access/require-user-manager";
import { recordAudit } from "../audit/record";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import { userNameKey } from "../auth/user-name-key";
import type { ConsoleContext } from "../context";
import { applyBudget, applyCallLimits } from "./limits";
import { requireFreeNames } from "./require-free-names";
import { toManagedUser } from "./to-managed-user";

/**
 * Changes a user of a lower role. Disabling, a new role or a new password ends the user's sessions and pending
 * sign-ins. Throws `not_found`, `forbidden`, `invalid`, `conflict` (stale version, e-mail taken).
 */
export async function updateUser(ctx: ConsoleContext, id: string, input: UpdateUser): Promise<ManagedUser> {
  const actor = requireUserManager(ctx);
  await requireWritableSite(ctx, actor);
  const before = await findManageable(ctx.store, actor, id);
  if (input.role !== undefined && !outranks(actor, { role: input.role })) {
    throw new AppError("forbidden", "You may only assign a lower role than yours.");
  }
  const passwordHash = await newHash(ctx, before, input.password);
  const emailKey = input.email ? userNameKey(input.email) : input.email;
  return ctx.store.transaction(async (tx) => {
    const present = await findManageable(tx, actor, id);
    await requireFreeNames(tx, { email: emailKey }, id);
    const changed = await tx.users.update(
      { id, version: input.version },
      {
        ...(input.display_name === undefined ? {} : { displayName: input.display_name }),
        ...(input.email === undefined ? {} : { email: input.email, emailKey: emailKey ?? null }),
        ...(input.role === undefined ? {} : { role: input.role }),
        ...(input.enabled === undefined ? {} : { enabled: input.enabled }),
        ...applyCallLimits(input, present),
        ...(input.budget === undefined ? {} : { budget: applyBudget(input.budget, present.budget) }),
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
    const { version: _, password: __, ...fields } = input;
    await recordAudit(tx, ctx, {
      action: "user.update",
      target: id,
      detail: { before: auditedFields(present), change: fields, password: passwordHash !== null },
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
  return ctx.hasher.hash(canonicalPassword(password), "login");
}

function auditedFields(user: UserRecord): Record<string, unknown> {
  const { role, enabled, displayName, email, rpm, tpm, concurrency } = user;
  return { role, enabled, display_name: displayName, email, rpm, tpm, concurrency };
}
