import type { TwoFactorSignInRequest } from "../../contracts/console/sign-in";
import type { TwoFactorMethod } from "../../contracts/console/two-factor";
import { AppError } from "../../errors";
import type { FlowRecord, Repositories, TwoFactorRecord, UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { takeAttempt } from "./attempt-limit";
import { type SignedIn, startSession } from "./sessions";
import { digestToken, isSameSecret } from "./tokens";
import { consumeCode, countCodeAttempt, lockOf, matchCode } from "./two-factor/codes";

interface PendingSignIn {
  flow: FlowRecord;
  user: UserRecord;
  twoFactor: TwoFactorRecord;
}

interface TwoFactorOutcome extends SignedIn {
  method: TwoFactorMethod;
}

/**
 * Completes a sign-in whose password was right with a 2FA code. `pendingToken` is the flow token of the cookie. The
 * attempt is counted on the flow and on the account before the code is checked; the code and the flow are consumed in
 * the transaction that starts the session. Throws `invalid` (two different flows), `flow_expired`, `invalid_code` (with
 * attempts left), `rate_limited`.
 */
export async function verifyTwoFactor(
  ctx: ConsoleContext,
  input: TwoFactorSignInRequest & { pendingToken: string | null },
): Promise<TwoFactorOutcome> {
  await takeAttempt(ctx, "second-step", "loginAttemptsPerMinute");
  const { flow_token: sent, pendingToken: ofCookie } = input;
  const token = sent ?? ofCookie;
  if (sent !== undefined && ofCookie !== null && !isSameSecret(sent, ofCookie)) {
    throw new AppError(
      "invalid",
      "flow_token and the pending cookie belong to different sign-ins; send one of them.",
      { issues: [{ path: "flow_token", message: "Must match the pending cookie." }] },
    );
  }
  if (token === null) throw expired();
  const digest = digestToken(token);
  const pending = await findPending(ctx, digest);
  const locked = lockOf(ctx, pending.twoFactor.lockedUntil);
  if (locked !== null) throw locked;

  const flow = await ctx.store.flows.takeAttempt(digest, ctx.clock.now());
  if (flow === null) throw expired();
  await countCodeAttempt(ctx, pending.user.id);
  // Read again after counting, so that a step used by a concurrent request is refused.
  const twoFactor = (await findPending(ctx, digest, flow)).twoFactor;
  const matched = matchCode(ctx, twoFactor, input.code);

  const outcome = await ctx.store.transaction(async (tx): Promise<TwoFactorOutcome | null> => {
    const method = await consumeCode(tx, twoFactor, matched);
    if (method === null) {
      await recordAudit(tx, ctx, {
        action: "login.fail",
        target: pending.user.id,
        detail: { factor: "second", attempts_left: flow.attemptsLeft },
      });
      return null;
    }
    // Throwing rolls back the consumption of the code.
    if ((await tx.flows.consume(digest, ctx.clock.now())) === null) throw expired();
    const { user } = await readBound(tx, flow);
    const started = await startSession(tx, ctx, user, method);
    await recordAudit(tx, ctx, {
      action: "login.ok",
      actor: user.id,
      target: user.id,
      detail: { factor: method },
    });
    return { user, started, method };
  });
  if (outcome !== null) return outcome;
  ctx.metrics.count("login_failures");
  throw new AppError("invalid_code", "The code is incorrect or was already used.", {
    attemptsLeft: flow.attemptsLeft,
  });
}

/** The live sign-in behind a flow. Throws `flow_expired`. */
async function findPending(ctx: ConsoleContext, digest: string, taken?: FlowRecord): Promise<PendingSignIn> {
  const flow = taken ?? (await ctx.store.flows.find(digest));
  const isLive =
    flow !== null && flow.expiresAt > ctx.clock.now() && (taken !== undefined || flow.attemptsLeft > 0);
  if (!isLive) throw expired();
  return { flow, ...(await readBound(ctx.store, flow)) };
}

/**
 * The user and two-factor record of a flow as stored now. Throws `flow_expired` when the user was disabled, or the
 * password or enrolment has changed since the password was checked.
 */
async function readBound(
  store: Pick<Repositories, "users" | "twoFactors">,
  flow: FlowRecord,
): Promise<{ user: UserRecord; twoFactor: TwoFactorRecord }> {
  const user = await store.users.findById(flow.userId);
  const twoFactor = await store.twoFactors.find(flow.userId);
  if (!user?.enabled) throw expired();
  if (user.passwordVersion !== flow.passwordVersion) throw expired();
  if (twoFactor?.state !== "enabled" || twoFactor.enrolmentId !== flow.enrolmentId) throw expired();
  return { user, twoFactor };
}

function expired(): AppError {
  return new AppError("flow_expired", "This sign-in has expired. Start again with username and password.");
}
