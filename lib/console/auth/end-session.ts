import { AppError } from "../../errors";
import { requireSession } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";

/** Ends one of the caller's sessions. Throws `not_found` for any other. */
export async function endSession(ctx: ConsoleContext, id: string): Promise<void> {
  const { user } = requireSession(ctx);
  await ctx.store.transaction(async (tx) => {
    const found = await tx.sessions.find(id);
    if (found?.userId !== user.id) throw new AppError("not_found", "There is no such session.");
    await tx.sessions.delete(id);
    await recordAudit(tx, ctx, { action: "session.end", target: id });
  });
}

/** Ends all sessions of the caller except the present one. */
export async function endOtherSessions(ctx: ConsoleContext): Promise<void> {
  const { user, session } = requireSession(ctx);
  await ctx.store.transaction(async (tx) => {
    const ended = await tx.sessions.deleteByUser(user.id, session.id);
    await recordAudit(tx, ctx, { action: "session.end_others", target: user.id, detail: { ended } });
  });
}
