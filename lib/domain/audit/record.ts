import type { Repositories } from "../../ports/store";
import type { ConsoleContext } from "../context";

/** What an audit row needs of a request. */
export type Witness = Pick<ConsoleContext, "clock" | "peer" | "caller" | "requestId">;

/**
 * Appends one audit row inside the change's own transaction. `actor` stands for whoever is not the caller yet
 * (a sign-in that has just succeeded). `detail` never holds a secret.
 */
export async function recordAudit(
  tx: Repositories,
  ctx: Witness,
  entry: { action: string; target?: string; detail?: Record<string, unknown>; actor?: string },
): Promise<void> {
  const caller = ctx.caller.kind === "anonymous" ? "anonymous" : ctx.caller.user.id;
  const via = ctx.caller.kind === "manage-key" ? { key: ctx.caller.key.id } : {};
  await tx.audit.append({
    at: ctx.clock.now(),
    actor: entry.actor ?? caller,
    action: entry.action,
    target: entry.target ?? "",
    detail: { ...entry.detail, ...via, address: ctx.peer.address, request: ctx.requestId },
  });
}
