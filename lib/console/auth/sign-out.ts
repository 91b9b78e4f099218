import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";

/** Ends the caller's session, if there is one. */
export async function signOut(ctx: ConsoleContext): Promise<void> {
  const { caller } = ctx;
  if (caller.kind !== "session") return;
  await ctx.store.transaction(async (tx) => {
    if (await tx.sessions.delete(caller.session.id)) {
      await recordAudit(tx, ctx, { action: "logout", target: caller.user.id });
    }
  });
}
