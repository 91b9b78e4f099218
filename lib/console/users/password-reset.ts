import type { AcceptPasswordReset, InviteWithToken } from "../../contracts/console/invites";
import type { TwoFactorMethod } from "../../contracts/console/two-factor";
import { DAY_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import { newId } from "../../gateway/new-id";
import type { InviteRecord, Repositories, TwoFactorRecord, UserRecord } from "../../ports/store";
import { findManageable, requireSignedInOperator } from "../access/guards";
import { recordAudit } from "../audit/record";
import { takeAttempt } from "../auth/attempt-limit";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import { type SignedIn, startSession } from "../auth/sessions";
import { digestToken, newToken } from "../auth/tokens";
import {
  consumeCode,
  countCodeAttempt,
  type MatchedCode,
  matchCode,
  requireCode,
} from "../auth/two-factor/codes";
import type { ConsoleContext } from "../context";
import { consumeLink, findLiveLink, invalidLinkError } from "./invites/link";
import { toInvite } from "./invites/manage";
import { clearLocks } from "./manage";

const LIFE_MS = DAY_MS;

/**
 * Creates a one-time link, valid for 24 hours, to set a new password for a user of a lower role, and returns its token,
 * shown only here. An earlier link of the same user is deleted. Throws `not_found`, `forbidden`,
 * `conflict` (disabled user).
 */
export async function createPasswordReset(ctx: ConsoleContext, id: string): Promise<InviteWithToken> {
  const actor = await requireSignedInOperator(ctx);
  const token = newToken(ctx.random);
  return ctx.store.transaction(async (tx) => {
    const target = await findManageable(tx, actor, id);
    if (!target.enabled) throw new AppError("conflict", "This user is disabled. Enable the user first.");
    const now = ctx.clock.now();
    const invite: InviteRecord = {
      id: newId(ctx.random, "inv"),
      kind: "password_reset",
      digest: digestToken(token),
      role: target.role,
      email: null,
      userId: target.id,
      passwordVersion: target.passwordVersion,
      madeBy: actor.id,
      createdAt: now,
      expiresAt: now + LIFE_MS,
      usedAt: null,
    };
    await tx.invites.deleteByUser(target.id);
    await tx.invites.insert(invite);
    await recordAudit(tx, ctx, {
      action: "password.reset_link",
      target: target.id,
      detail: { link: invite.id, expires_at: invite.expiresAt },
    });
    return { ...toInvite(invite, { maker: actor, target }), token };
  });
}

interface AcceptedReset extends SignedIn {
  hasTwoFactor: boolean;
}

/**
 * Sets a new password by a reset link, ends every session of the user and signs them in again. Enabled 2FA must still
 * be passed: the link replaces only the password. Throws `not_found` (invalid link), `invalid`, `invalid_code` (the
 * link stays valid), `rate_limited` (too many attempts or wrong codes).
 */
export async function acceptPasswordReset(
  ctx: ConsoleContext,
  input: AcceptPasswordReset,
): Promise<AcceptedReset> {
  await takeAttempt(ctx, "invite", "loginAttemptsPerMinute");
  const digest = digestToken(input.token);
  const target = (await findLiveLink(ctx.store, digest, "password_reset", ctx.clock.now()))?.target;
  if (!target) throw invalidLinkError();
  requireGoodPassword(ctx.instance, input.password, target, "password");
  const found = await ctx.store.twoFactors.find(target.id);
  const twoFactor = found?.state === "enabled" ? found : null;
  if (twoFactor !== null) requireCode(input.code);
  // Hashed before the code is used up: a full queue must not cost the user a code.
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.password), "sign-in");
  const matched = twoFactor === null ? null : await tryCode(ctx, twoFactor, input.code ?? "");
  const outcome = await ctx.store.transaction(async (tx): Promise<AcceptedReset | null> => {
    const method = await verifyCode(tx, ctx, target, twoFactor, matched);
    return method === null ? null : replacePassword(tx, ctx, digest, passwordHash, method);
  });
  if (outcome !== null) return outcome;
  ctx.metrics.count("login_failures");
  throw new AppError("invalid_code", "The code is incorrect or was already used.");
}

/** Counts the attempt on the account before the code is checked. */
async function tryCode(
  ctx: ConsoleContext,
  twoFactor: TwoFactorRecord,
  code: string,
): Promise<MatchedCode | null> {
  await countCodeAttempt(ctx, twoFactor.userId);
  return matchCode(ctx, (await ctx.store.twoFactors.find(twoFactor.userId)) ?? twoFactor, code);
}

/** The verified method; null for a wrong code, which is recorded in the audit log. */
async function verifyCode(
  tx: Repositories,
  ctx: ConsoleContext,
  target: UserRecord,
  twoFactor: TwoFactorRecord | null,
  matched: MatchedCode | null,
): Promise<TwoFactorMethod | "password" | null> {
  if (twoFactor === null) {
    // 2FA may have been enabled after the check that asked for no code.
    if ((await tx.twoFactors.find(target.id))?.state === "enabled") throw invalidLinkError();
    return "password";
  }
  const method = await consumeCode(tx, twoFactor, matched);
  if (method === null) {
    await recordAudit(tx, ctx, { action: "2fa.fail", target: target.id, detail: { by: "reset link" } });
  }
  return method;
}

async function replacePassword(
  tx: Repositories,
  ctx: ConsoleContext,
  digest: string,
  passwordHash: string,
  method: TwoFactorMethod | "password",
): Promise<AcceptedReset> {
  const { invite, target } = await consumeLink(tx, digest, ctx.clock.now());
  const changed =
    target && (await tx.users.update(target, { passwordHash, passwordVersion: target.passwordVersion + 1 }));
  if (!changed) throw invalidLinkError();
  await tx.sessions.deleteByUser(changed.id);
  await tx.flows.deleteByUser(changed.id);
  await clearLocks(tx, ctx, changed);
  const started = await startSession(tx, ctx, changed, method);
  await recordAudit(tx, ctx, {
    action: "password.reset",
    actor: changed.id,
    target: changed.id,
    detail: { factor: method, link: invite.id, made_by: invite.madeBy },
  });
  return { user: changed, started, hasTwoFactor: method !== "password" };
}
