import type { CreateUser, ManagedUser } from "../../contracts/console/user";
import { AppError } from "../../errors";
import { outranks, requireSignedInAdmin } from "../access/guards";
import { requireWritableSite } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import { userNameKey } from "../auth/user-name-key";
import type { ConsoleContext } from "../context";
import { applyBudget, applyCallLimits } from "./limits";
import { toManagedUser } from "./managed-users";
import { newUser, requireFreeNames } from "./new-user";

/** Creates a user of a lower role than the caller's. Throws `forbidden`, `invalid`, `conflict`. */
export async function createUser(ctx: ConsoleContext, input: CreateUser): Promise<ManagedUser> {
  const actor = requireSignedInAdmin(ctx);
  if (!outranks(actor, input))
    throw new AppError("forbidden", "You may only add users with a lower role than yours.");
  await requireWritableSite(ctx, actor);
  const email = input.email ?? null;
  requireGoodPassword(ctx.instance, input.password, { username: input.username, email }, "password");
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.password), "login");
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
  await ctx.store.transaction(async (tx) => {
    await requireFreeNames(
      tx,
      { username: user.usernameKey, email: email === null ? null : userNameKey(email) },
      null,
    );
    await tx.users.insert(user);
    await recordAudit(tx, ctx, { action: "user.create", target: user.id, detail: { role: user.role } });
  });
  return toManagedUser(ctx.store, ctx, user);
}
