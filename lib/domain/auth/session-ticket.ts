import type { Repositories, UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { requireSession } from "./guards";
import { type StartedSession, startSession } from "./start-session";
import { digestToken, newToken } from "./tokens";

const TICKET_LIFE_MS = 60_000;

/**
 * A one-time ticket for next-auth's credentials sign-in, for a user whose every factor has passed: the holder of a
 * live session, whose id it names. Good once, for 60 seconds.
 */
export async function mintSessionTicket(ctx: ConsoleContext): Promise<string> {
  const { user, session } = requireSession(ctx);
  const ticket = `${newToken(ctx.random)}.${session.id}`;
  const secondFactor = await ctx.store.twoFactors.find(user.id);
  await ctx.store.flows.insert({
    digest: digestToken(ticket),
    kind: "session-ticket",
    userId: user.id,
    passwordVersion: user.passwordVersion,
    enrolmentId: secondFactor?.state === "enabled" ? secondFactor.enrolmentId : null,
    attemptsLeft: 1,
    expiresAt: ctx.clock.now() + TICKET_LIFE_MS,
  });
  return ticket;
}

/**
 * Turns a ticket into a session as old as the one it was minted by, so that tickets never lengthen a life or make a
 * sign-in look fresh. Null when it is unknown, spent, expired, its session has ended or its user has changed since.
 */
export async function redeemSessionTicket(
  ctx: ConsoleContext,
  ticket: string,
): Promise<{ user: UserRecord; started: StartedSession } | null> {
  const digest = digestToken(ticket);
  return ctx.store.transaction(async (tx) => {
    // Looked at first, so that the flow of a pending second step is not spent here.
    if ((await tx.flows.find(digest))?.kind !== "session-ticket") return null;
    const flow = await tx.flows.consume(digest, ctx.clock.now());
    if (flow === null) return null;
    const user = await tx.users.findById(flow.userId);
    if (!user?.enabled || user.passwordVersion !== flow.passwordVersion) return null;
    if ((await enrolment(tx, user.id)) !== flow.enrolmentId) return null;
    const origin = await tx.sessions.find(ticket.slice(ticket.indexOf(".") + 1));
    if (origin?.userId !== user.id || origin.expiresAt <= ctx.clock.now()) return null;
    const started = await startSession(tx, ctx, user, origin.method, origin);
    await recordAudit(tx, ctx, {
      action: "login.ok",
      actor: user.id,
      target: user.id,
      detail: { factor: "ticket" },
    });
    return { user, started };
  });
}

async function enrolment(tx: Repositories, userId: string): Promise<string | null> {
  const found = await tx.twoFactors.find(userId);
  return found?.state === "enabled" ? found.enrolmentId : null;
}
