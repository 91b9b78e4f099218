import type { InspectInvite, InviteFacts } from "../../../contracts/console/invites";
import { toTimestamp } from "../../../contracts/timestamp";
import { takeAttempt } from "../../auth/attempt-limit";
import { digestToken } from "../../auth/tokens";
import type { ConsoleContext } from "../../context";
import { hasTwoFactor } from "../to-user";
import { deadLink, findLiveLink } from "./link";

/** What a link is for. Throws the same `not_found` for every invalid link, `rate_limited`. */
export async function inspectInvite(ctx: ConsoleContext, { token }: InspectInvite): Promise<InviteFacts> {
  takeAttempt(ctx, "invite", "loginAttemptsPerMinute");
  const live = await findLiveLink(ctx.store, digestToken(token), null, ctx.clock.now());
  if (live === null) throw deadLink();
  const { invite, maker, target } = live;
  const expires_at = toTimestamp(invite.expiresAt);
  if (target === null) {
    return { kind: "invite", role: invite.role, email: invite.email, made_by: maker.displayName, expires_at };
  }
  const two_factor_enabled = await hasTwoFactor(ctx.store, target.id);
  return { kind: "password_reset", username: target.username, two_factor_enabled, expires_at };
}
