import type { TwoFactorStatus } from "../../../contracts/console/two-factor";
import { toTimestamp } from "../../../contracts/timestamp";
import { requireSession } from "../../access/guards";
import type { ConsoleContext } from "../../context";

/** The state of the caller's 2FA. */
export async function twoFactorStatus(ctx: ConsoleContext): Promise<TwoFactorStatus> {
  const { user } = requireSession(ctx);
  const found = await ctx.store.twoFactors.find(user.id);
  const isEnabled = found?.state === "enabled";
  const lockedUntil = found?.lockedUntil ?? null;
  return {
    enabled: isEnabled,
    pending: found?.state === "pending",
    backup_codes_left: isEnabled ? await ctx.store.twoFactors.countBackupCodes(user.id) : 0,
    locked_until: lockedUntil !== null && lockedUntil > ctx.clock.now() ? toTimestamp(lockedUntil) : null,
  };
}
