import type { AcceptInvite } from "../../../contracts/console/invites";
import { recordAudit } from "../../audit/record";
import { takeAttempt } from "../../auth/attempt-limit";
import { canonicalPassword, requireGoodPassword } from "../../auth/password-rules";
import { type SignedIn, startSession } from "../../auth/sessions";
import { digestToken } from "../../auth/tokens";
import type { ConsoleContext } from "../../context";
import { newUser, requireFreeNames } from "../new-user";
import { consumeLink, findLiveLink, invalidLinkError } from "./link";

/**
 * Creates the user of an invite and signs them in. Only one of several concurrent requests with the same link succeeds;
 * role and e-mail address come from the link, never from the request. Throws `not_found` (invalid link), `invalid`,
 * `conflict` (name taken: the link stays valid), `rate_limited`.
 */
export async function acceptInvite(ctx: ConsoleContext, input: AcceptInvite): Promise<SignedIn> {
  await takeAttempt(ctx, "invite", "loginAttemptsPerMinute");
  const digest = digestToken(input.token);
  // Checked before hashing: an invalid link costs no work.
  const found = await findLiveLink(ctx.store, digest, "invite", ctx.clock.now());
  if (found === null) throw invalidLinkError();
  const { email } = found.invite;
  requireGoodPassword(ctx.instance, input.password, { username: input.username, email }, "password");
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.password), "sign-in");
  return ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now();
    const { invite } = await consumeLink(tx, digest, now);
    const user = newUser(
      { random: ctx.random, now },
      {
        username: input.username,
        email: invite.email,
        displayName: input.display_name,
        role: invite.role,
        passwordHash,
      },
    );
    await requireFreeNames(tx, { username: user.usernameKey, email: user.emailKey }, null);
    await tx.users.insert(user);
    const started = await startSession(tx, ctx, user, "password");
    await recordAudit(tx, ctx, {
      action: "invite.accept",
      actor: user.id,
      target: user.id,
      detail: { invite: invite.id, role: user.role, made_by: invite.madeBy },
    });
    return { user, started };
  });
}
