import type { Repositories } from "../../ports/store";
import type { ConsoleCaller, ConsoleContext } from "../context";

/** The part of a request, or of a run of the admin command, that an audit row records. */
export interface ActorContext extends Pick<ConsoleContext, "clock" | "peer" | "requestId"> {
  caller: ConsoleCaller | { kind: "admin-command" };
}

/**
 * Appends one audit row inside the change's transaction. `actor`: ID of the acting user where the request's caller is
 * not yet that user (a sign-in that has just succeeded). `detail` never holds a secret.
 */
export async function recordAudit(
  tx: Repositories,
  ctx: ActorContext,
  entry: { action: string; target?: string; detail?: Record<string, unknown>; actor?: string },
): Promise<void> {
  const caller = "user" in ctx.caller ? ctx.caller.user.id : ctx.caller.kind;
  const via = ctx.caller.kind === "manage-key" ? { key: ctx.caller.key.id } : {};
  await tx.audit.append({
    at: ctx.clock.now(),
    actor: entry.actor ?? caller,
    action: entry.action,
    target: entry.target ?? "",
    detail: { ...entry.detail, ...via, address: ctx.peer.address, request: ctx.requestId },
  });
}
