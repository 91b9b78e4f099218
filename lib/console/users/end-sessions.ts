import { requireWritableSite } from "../access/require-operator";
import { findManageable, requireUserManager } from "../access/require-user-manager";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";

/** Ends all sessions and pending sign-ins of a user of a lower role. Throws `not_found`, `forbidden`. */
export async function endUserSessions(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = requireUserManager(ctx);
  await requireWritableSite(ctx, actor);
  await ctx.store.transaction(async (tx) => {
    await findManageable(tx, actor, id);
    const ended = await tx.sessions.deleteByUser(id);
    await tx.flows.deleteByUser(id);
    await recordAudit(tx, ctx, { action: "session.end_all", target: id, detail: { ended } });
  });
}
