import type { TwoFactorProof } from "../../../contracts/console/two-factor";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { requireTwoFactor, stepUp } from "../step-up";
import { removeTwoFactor } from "./remove";

/**
 * Disables 2FA after checking password and code, and ends the user's other sessions and pending sign-ins. Throws
 * `conflict` when 2FA is off, `step_up_failed`, `rate_limited`.
 */
export async function disableTwoFactor(ctx: ConsoleContext, proof: TwoFactorProof): Promise<void> {
  const { user, session } = requireSession(ctx);
  await stepUp(ctx, user, await requireTwoFactor(ctx, user.id), proof, async (tx, method) => {
    await removeTwoFactor(tx, user.id, session.id);
    await recordAudit(tx, ctx, { action: "2fa.disable", target: user.id, detail: { factor: method } });
  });
}
