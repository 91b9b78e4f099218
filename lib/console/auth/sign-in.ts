import { setTimeout as sleep } from "node:timers/promises";
import type { SignInRequest } from "../../contracts/console/sign-in";
import { SIGN_IN_FLOW_MS } from "../../contracts/durations";
import { AppError, isAppError } from "../../errors";
import type { FlowRecord, Repositories, UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { takeAttempt } from "./attempt-limit";
import { canonicalPassword } from "./password-rules";
import { type SignedIn, startSession } from "./sessions";
import { clearThrottles, countWrongPassword, delayOf, signInSubject } from "./sign-in-throttle";
import { digestToken, newToken } from "./tokens";
import { userNameKey } from "./user-name-key";

const FLOW_ATTEMPTS = 5;
/** Share of the floor added at random, so that the time of a refusal does not reveal the work behind it. */
const JITTER = 0.34;

type SignInOutcome =
  | ({ kind: "session" } & SignedIn)
  | { kind: "second-step"; flowToken: string; expiresAt: number };

/**
 * Checks name and password. On success: a session, or a flow that waits for a 2FA code. Unknown name, wrong password
 * and disabled user give the same `invalid_credentials` after the same work and time. Throws `rate_limited` by address,
 * or by the delay of the account or unknown name.
 */
export async function signIn(ctx: ConsoleContext, input: SignInRequest): Promise<SignInOutcome> {
  const startedAt = ctx.clock.monotonic();
  await takeAttempt(ctx, "login", "loginAttemptsPerMinute");
  const found = await ctx.store.users.findByNameOrEmail(userNameKey(input.username));
  const subject = signInSubject(found, input.username);
  const delayed = await delayOf(ctx.store, ctx, subject);
  if (delayed !== null) throw delayed;

  const password = canonicalPassword(input.password);
  const user = found?.enabled ? found : null;
  const isRight = await ctx.hasher.verify(user?.passwordHash ?? null, password);
  // Hashed outside the transaction because it is slow.
  const rehashed =
    isRight && user !== null && ctx.hasher.needsRehash(user.passwordHash)
      ? await ctx.hasher.hash(password, "sign-in")
      : null;

  const outcome = await ctx.store.transaction(async (tx): Promise<SignInOutcome | AppError> => {
    // No concurrent guess beyond the tenth may learn whether it was right.
    const late = await delayOf(tx, ctx, subject);
    if (late !== null) return late;
    if (!isRight || user === null) return refuse(tx, ctx, subject);
    const present = await tx.users.findById(user.id);
    if (!present?.enabled || present.passwordVersion !== user.passwordVersion) {
      return refuse(tx, ctx, subject);
    }
    await clearThrottles(tx, ctx, [subject]);
    if (rehashed !== null) await tx.users.update(present, { passwordHash: rehashed });
    return admit(tx, ctx, present);
  });
  if (!isAppError(outcome)) return outcome;
  if (outcome.code === "invalid_credentials") {
    ctx.metrics.count("login_failures");
    await delayRefusal(ctx, startedAt);
  }
  throw outcome;
}

async function admit(tx: Repositories, ctx: ConsoleContext, user: UserRecord): Promise<SignInOutcome> {
  const twoFactor = await tx.twoFactors.find(user.id);
  if (twoFactor?.state !== "enabled") {
    const started = await startSession(tx, ctx, user, "password");
    await recordAudit(tx, ctx, {
      action: "login.ok",
      actor: user.id,
      target: user.id,
      detail: { factor: "password" },
    });
    return { kind: "session", user, started };
  }
  const flowToken = newToken(ctx.random);
  const flow: FlowRecord = {
    digest: digestToken(flowToken),
    userId: user.id,
    passwordVersion: user.passwordVersion,
    enrolmentId: twoFactor.enrolmentId,
    attemptsLeft: FLOW_ATTEMPTS,
    expiresAt: ctx.clock.now() + SIGN_IN_FLOW_MS,
  };
  await tx.flows.insert(flow);
  return { kind: "second-step", flowToken, expiresAt: flow.expiresAt };
}

async function refuse(tx: Repositories, ctx: ConsoleContext, subject: string): Promise<AppError> {
  await countWrongPassword(tx, ctx, subject);
  // The name is left out: people type their password into the wrong field.
  await recordAudit(tx, ctx, { action: "login.fail", detail: { factor: "password" } });
  return new AppError("invalid_credentials", "Incorrect username or password.");
}

/** Delays a refused sign-in to its minimum duration. */
async function delayRefusal(ctx: ConsoleContext, startedAt: number): Promise<void> {
  const floorMs = ctx.signIn.refusalFloorMs * (1 + JITTER * ctx.random.fraction());
  const leftMs = floorMs - (ctx.clock.monotonic() - startedAt);
  if (leftMs > 0) await sleep(leftMs);
}
