import type { Self, UpdateSelf } from "../../contracts/console/user";
import { AppError } from "../../errors";
import { requireSession } from "../access/guards";
import { readSettings } from "../access/read-settings";
import { recordAudit } from "../audit/record";
import { takeAttempt } from "../auth/attempt-limit";
import { userNameKey } from "../auth/user-name-key";
import type { ConsoleContext } from "../context";
import { requireFreeNames } from "./new-user";
import { hasTwoFactor, toSelf } from "./to-user";

/**
 * Changes the caller's own profile. Throws `conflict` for a stale version or a taken e-mail address, `rate_limited`
 * (trying addresses reveals who has an account), `forbidden` (a member's e-mail while self-registration is on:
 * ownership is unproven).
 */
export async function updateSelf(ctx: ConsoleContext, input: UpdateSelf): Promise<Self> {
  const { user, session } = requireSession(ctx);
  const emailKey = input.email ? userNameKey(input.email) : input.email;
  if (emailKey && emailKey !== user.emailKey) await takeAttempt(ctx, "email", "loginAttemptsPerMinute");
  const isNewEmail = emailKey !== undefined && emailKey !== user.emailKey;
  if (isNewEmail && user.role === "member" && (await readSettings(ctx.store)).self_registration)
    throw new AppError(
      "forbidden",
      "Self-registration is on, so only administrators set e-mail addresses. Ask one to set yours.",
    );
  return ctx.store.transaction(async (tx) => {
    await requireFreeNames(tx, { email: emailKey }, user.id);
    const changed = await tx.users.update(
      { id: user.id, version: input.version ?? user.version },
      {
        ...(input.display_name === undefined ? {} : { displayName: input.display_name }),
        ...(input.email === undefined ? {} : { email: input.email, emailKey: emailKey ?? null }),
        ...(input.locale === undefined ? {} : { locale: input.locale }),
      },
    );
    if (changed === null)
      throw new AppError("conflict", "Your profile was changed by another request. Load it again.");
    const { version: _, ...fields } = input;
    await recordAudit(tx, ctx, {
      action: "user.update_self",
      target: user.id,
      detail: { fields: Object.keys(fields) },
    });
    return toSelf(changed, session, await hasTwoFactor(tx, user.id));
  });
}

/** The signed-in user. */
export async function readSelf(ctx: ConsoleContext): Promise<Self> {
  const { user, session } = requireSession(ctx);
  return toSelf(user, session, await hasTwoFactor(ctx.store, user.id));
}
