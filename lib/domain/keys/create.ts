import type { ApiKeyWithSecret, CreateKey } from "../../contracts/keys";
import type { KeyRecord, Operation, UserRecord } from "../../ports/store";
import { recordAudit, type Witness } from "../audit/record";
import { requireUser } from "../auth/guards";
import type { ConsoleContext } from "../context";
import { newId } from "../new-id";
import { applyBudget } from "../users/budget-change";
import { readExpiry, requireFitFor, requireGrantable } from "./authority";
import { inheritBounds, type KeyReach, requireWithinCaller } from "./bounds";
import { digestKey, displayKey, makeKey } from "./key-format";
import { requireRoomForKey } from "./room";
import { toApiKey } from "./to-api-key";

const EVERYDAY: Operation[] = ["speech", "embeddings"];

/** Makes an API key of the caller's and shows it for the only time. Throws `forbidden`, `invalid`, `conflict` (too many). */
export async function createKey(ctx: ConsoleContext, input: CreateKey): Promise<ApiKeyWithSecret> {
  const owner = requireUser(ctx);
  requireGrantable(ctx, owner, input.operations ?? EVERYDAY);
  return createKeyOf(ctx, owner, input, (reach) => {
    const bounded = inheritBounds(ctx, reach);
    requireWithinCaller(ctx, bounded);
    return bounded;
  });
}

/** The same for any owner, by who has shown that they may; `bound` keeps the key's reach within the caller's own. Throws as `createKey` does. */
export async function createKeyOf(
  ctx: Witness & Pick<ConsoleContext, "store" | "random">,
  owner: UserRecord,
  input: CreateKey,
  bound: (reach: KeyReach) => KeyReach = (reach) => reach,
): Promise<ApiKeyWithSecret> {
  const operations = input.operations ?? EVERYDAY;
  requireFitFor(owner, operations);
  const now = ctx.clock.now();
  const key = makeKey(ctx.random);
  const reach = bound({
    expiresAt: readExpiry(input.expires_at ?? null, now),
    allowedModels: input.allowed_models ?? [],
    allowedAddresses: input.allowed_addresses ?? [],
    rpm: input.rpm ?? null,
    tpm: input.tpm ?? null,
    concurrency: input.concurrency ?? null,
    budget: applyBudget(input.budget),
  });
  const record: KeyRecord = {
    id: newId(ctx.random, "key"),
    digest: digestKey(key),
    display: displayKey(key),
    name: input.name,
    ownerId: owner.id,
    kind: "api",
    sessionId: null,
    enabled: input.enabled ?? true,
    createdAt: now,
    lastUsedAt: null,
    operations,
    ...reach,
    version: 1,
  };
  return ctx.store.transaction(async (tx) => {
    await requireRoomForKey(tx, owner, now);
    await tx.keys.insert(record);
    await recordAudit(tx, ctx, {
      action: "key.create",
      target: record.id,
      detail: { name: record.name, display: record.display, operations },
    });
    return { ...(await toApiKey(tx, record, now)), key };
  });
}
