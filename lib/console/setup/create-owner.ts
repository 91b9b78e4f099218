import type { SetupRequest } from "../../contracts/console/setup";
import { AppError, hasCode } from "../../errors";
import type { Instance } from "../../ports/instance";
import type { Repositories, Store, UserRecord } from "../../ports/store";
import { type ActorContext, recordAudit } from "../audit/record";
import { takeAttempt } from "../auth/attempt-limit";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import { type SignedIn, startSession } from "../auth/sessions";
import type { ConsoleContext } from "../context";
import { newUser } from "../users/new-user";
import { PROGRESS_SETTING } from "./state";

/** One setup at a time per store: a waiting request checks the state again before hashing a password. */
const setupQueues = new WeakMap<Store, Promise<unknown>>();

/** The error of every setup request after the first successful one. */
function alreadySetUp(): AppError {
  return new AppError("conflict", "This instance is already set up. Sign in instead.");
}

/** Throws `conflict` once the instance is set up; `storage_unavailable` when that is unknown. */
export async function requireNotSetUp(ctx: Pick<ConsoleContext, "store">): Promise<void> {
  if (await ctx.store.setup.isSetUp()) throw alreadySetUp();
}

/** The context that may create the owner: a visitor's request, or the admin command. */
interface SetupContext extends ActorContext, Pick<ConsoleContext, "store" | "random" | "hasher"> {
  instance: Pick<Instance, "passwordMinimum">;
}

/**
 * Initial setup: in one transaction, creates the owner, their session, the settings for the kind of use (own use, demo
 * site), the row that marks the instance as set up, and the audit row. Only one of several concurrent requests
 * succeeds; the others in this process get `conflict` without any hashing. Throws `setup_token_required`,
 * `rate_limited` (wrong tokens), `invalid`.
 */
export async function setUpInstance(ctx: ConsoleContext, input: SetupRequest): Promise<SignedIn> {
  await requireNotSetUp(ctx);
  await requireToken(ctx, input.setup_token);
  const { user, value } = await createOwner(ctx, input, (tx, owner) => startSession(tx, ctx, owner, "setup"));
  await ctx.setupGuard.retire().catch((error: unknown) => {
    ctx.log.warn("setup_token_not_deleted", { cause: error instanceof Error ? error.message : "unknown" });
  });
  return { user, started: value };
}

/**
 * Creates the owner for a caller that is already authorised; `also` runs in its transaction. Throws `conflict`,
 * `invalid`.
 */
export async function createOwner<T>(
  ctx: SetupContext,
  input: SetupRequest,
  also: (tx: Repositories, owner: UserRecord) => Promise<T>,
): Promise<{ user: UserRecord; value: T }> {
  const email = input.email === undefined || input.email === "" ? null : input.email;
  requireGoodPassword(ctx.instance, input.password, { username: input.username, email }, "password");
  return runExclusively(ctx.store, async () => {
    await requireNotSetUp(ctx);
    const passwordHash = await ctx.hasher.hash(canonicalPassword(input.password), "setup");
    return ctx.store.transaction(async (tx) => {
      const now = ctx.clock.now();
      const user = newUser(
        { random: ctx.random, now },
        { username: input.username, email, role: "owner", passwordHash },
      );
      await tx.users.insert(user);
      await tx.setup.recordOwner({ setUpAt: now, ownerId: user.id });
      await tx.settings.put("self_use_mode", input.SelfUseModeEnabled ?? false);
      await tx.settings.put("demo_site", input.DemoSiteEnabled ?? false);
      await tx.settings.put(PROGRESS_SETTING, { step: "second-factor", finished: false });
      const value = await also(tx, user);
      // The visitor has no user yet: the new owner is recorded as the actor.
      const actor = ctx.caller.kind === "anonymous" ? { actor: user.id } : {};
      await recordAudit(tx, ctx, { action: "setup.claim", target: user.id, ...actor });
      return { user, value };
    });
  }).catch((error: unknown) => {
    // Another process created the owner between our check and our insert.
    throw hasCode(error, "conflict") ? alreadySetUp() : error;
  });
}

async function requireToken(ctx: ConsoleContext, token: string | undefined): Promise<void> {
  // A wrong token is refused even where none is required: it belongs to another instance or an earlier start.
  const isGiven = token !== undefined && token !== "";
  if (isGiven ? ctx.setupGuard.accepts(token) : !ctx.setupGuard.isTokenRequired(ctx.peer)) return;
  if (isGiven) await takeAttempt(ctx, "setup-token", "wrongSetupTokensPerMinute");
  const cause = isGiven ? "The setup token is wrong." : "Setup from this address needs the setup token.";
  throw new AppError(
    "setup_token_required",
    `${cause} The server prints it when it starts and stores it in the file 'setup-token' of its data directory; an ` +
      "operator may have set it as PATCHBAY_SETUP_TOKEN.",
  );
}

async function runExclusively<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const before = setupQueues.get(store) ?? Promise.resolve();
  const mine = before.then(work, work);
  setupQueues.set(store, mine);
  return mine;
}
