import type { RegisterRequest } from "../../contracts/console/invites";
import type { OpenSettings } from "../../contracts/console/settings";
import { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import { readSettings } from "../access/read-settings";
import { recordAudit } from "../audit/record";
import { takeAttempt } from "../auth/attempt-limit";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import { type SignedIn, startSession } from "../auth/sessions";
import type { ConsoleContext } from "../context";
import { applyBudget } from "./limits";
import { newUser, requireFreeNames } from "./new-user";

/** The settings if self-registration is on. Throws `not_found` otherwise. */
export async function requireSelfRegistration(store: Pick<Repositories, "settings">): Promise<OpenSettings> {
  const settings = await readSettings(store);
  if (settings.self_registration) return settings;
  throw new AppError("not_found", "Self-registration is off. Ask an administrator for an invite.");
}

/**
 * Creates a member's account for the visitor, with the budget of the settings, and signs them in. A taken name is
 * refused only after the same work as for a free one, and each address has a limited number of attempts. There is no
 * e-mail field, so this endpoint does not reveal which e-mail addresses have an account. Throws `not_found` (off),
 * `invalid`, `conflict` (name taken), `rate_limited`.
 */
export async function registerUser(ctx: ConsoleContext, input: RegisterRequest): Promise<SignedIn> {
  await requireSelfRegistration(ctx.store);
  await takeAttempt(ctx, "register", "loginAttemptsPerMinute");
  requireGoodPassword(ctx.instance, input.password, input, "password");
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.password), "sign-in");
  return ctx.store.transaction(async (tx) => {
    const { registration_budget_usd } = await requireSelfRegistration(tx);
    const user = newUser(
      { random: ctx.random, now: ctx.clock.now() },
      {
        username: input.username,
        email: null,
        displayName: input.display_name,
        role: "member",
        passwordHash,
        // The person is unknown: the budget caps what they can cost.
        budget: applyBudget({ monthly_usd: registration_budget_usd }),
      },
    );
    await requireFreeNames(tx, { username: user.usernameKey }, null);
    await tx.users.insert(user);
    const started = await startSession(tx, ctx, user, "password");
    await recordAudit(tx, ctx, { action: "user.register", actor: user.id, target: user.id });
    return { user, started };
  });
}
