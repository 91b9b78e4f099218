import type { ApiKeyWithSecret, CreateKey, PlaygroundKey } from "../../contracts/console/api-keys";
import { toTimestamp } from "../../contracts/timestamp";
import { digestKey, displayKey, makeKey } from "../../gateway/admission/key-format";
import { newId } from "../../gateway/new-id";
import type { KeyRecord, Operation, UserRecord } from "../../ports/store";
import { PLAYGROUND_ID, PLAYGROUND_NAME } from "../../ports/store/api-keys";
import { requireSession, requireUser } from "../access/guards";
import { type ActorContext, recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { applyBudget } from "../users/limits";
import { requireKeyQuota } from "./key-quota";
import {
  inheritLimits,
  type KeyReach,
  limitAuthors,
  requireNoPerKeyLimits,
  requireWithinCaller,
  unlimitedReach,
} from "./limits";
import { readExpiry, requireGrantable, requireRoleMayUse } from "./permissions";
import { toApiKey } from "./to-api-key";

const DEFAULT_OPERATIONS: Operation[] = ["speech", "embeddings"];

/**
 * Creates an API key of the caller and returns its secret, which is shown only here. Throws `forbidden`, `invalid`,
 * `conflict` (too many keys).
 */
export async function createKey(ctx: ConsoleContext, input: CreateKey): Promise<ApiKeyWithSecret> {
  const owner = requireUser(ctx);
  requireGrantable(ctx, owner, input.operations ?? DEFAULT_OPERATIONS);
  requireNoPerKeyLimits(ctx, "create keys");
  return createKeyOf(ctx, owner, input, (reach) => {
    const limited = inheritLimits(ctx, reach);
    requireWithinCaller(ctx, limited);
    return limited;
  });
}

/**
 * Creates a key for any owner, called by the console or the admin command, which acts with the instance owner's
 * permissions; `bound` keeps the key's limits within the caller's. Throws as `createKey` does.
 */
export async function createKeyOf(
  ctx: ActorContext & Pick<ConsoleContext, "store" | "random">,
  owner: UserRecord,
  input: CreateKey,
  bound: (reach: KeyReach) => KeyReach = (reach) => reach,
): Promise<ApiKeyWithSecret> {
  const operations = input.operations ?? DEFAULT_OPERATIONS;
  requireRoleMayUse(owner, operations);
  const now = ctx.clock.now();
  const key = makeKey(ctx.random);
  const reach = bound({
    enabled: input.enabled ?? true,
    operations,
    expiresAt: readExpiry(input.expires_at ?? null, now),
    allowedModels: input.allowed_models ?? [],
    allowedAddresses: input.allowed_addresses ?? [],
    rpm: input.rpm ?? null,
    tpm: input.tpm ?? null,
    concurrency: input.concurrency ?? null,
    budget: applyBudget(input.budget),
  });
  const actor = "user" in ctx.caller ? ctx.caller.user.role : "owner";
  const unlimited = { ...unlimitedReach(owner.role), limitsSetBy: {} };
  const record: KeyRecord = {
    id: newId(ctx.random, "key"),
    digest: digestKey(key),
    display: displayKey(key),
    name: input.name,
    ownerId: owner.id,
    kind: "api",
    sessionId: null,
    createdAt: now,
    lastUsedAt: null,
    ...reach,
    limitsSetBy: limitAuthors(actor, owner.role, unlimited, reach),
    version: 1,
  };
  return ctx.store.transaction(async (tx) => {
    await requireKeyQuota(tx, owner, now);
    await tx.keys.insert(record);
    await recordAudit(tx, ctx, {
      action: "key.create",
      target: record.id,
      detail: { name: record.name, display: record.display, operations },
    });
    return { ...(await toApiKey(tx, record, now)), key };
  });
}

const PLAYGROUND_LIFE_MS = 15 * 60_000;
/** Most playground keys of one session at the same time. */
const MAX_PLAYGROUND_KEYS = 20;

/**
 * Creates a key for the playgrounds: valid for 15 minutes, deleted with its session, never listed. The session's oldest
 * key is removed when there are too many.
 */
export async function createPlaygroundKey(ctx: ConsoleContext): Promise<PlaygroundKey> {
  const { user, session } = requireSession(ctx);
  const now = ctx.clock.now();
  const key = makeKey(ctx.random);
  const expiresAt = Math.min(now + PLAYGROUND_LIFE_MS, session.expiresAt);
  const record: KeyRecord = {
    id: newId(ctx.random, PLAYGROUND_ID),
    digest: digestKey(key),
    display: displayKey(key),
    name: PLAYGROUND_NAME,
    ownerId: user.id,
    kind: "playground",
    sessionId: session.id,
    ...unlimitedReach("member"),
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    limitsSetBy: {},
    version: 1,
  };
  await ctx.store.transaction(async (tx) => {
    await tx.keys.trimPlayground(session.id, MAX_PLAYGROUND_KEYS - 1);
    await tx.keys.insert(record);
  });
  return { key, expires_at: toTimestamp(expiresAt) };
}
