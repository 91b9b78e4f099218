import type { ApiKey, KeyQuery } from "../../contracts/console/api-keys";
import type { ListPage } from "../../contracts/paging";
import { AppError } from "../../errors";
import type { UserRecord } from "../../ports/store";
import { requireUser } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext, ReadContext } from "../context";
import { pageQuery } from "../page-of";
import { findChangeableKey, findVisibleKey } from "./permissions";
import { toApiKey, toApiKeys } from "./to-api-key";

/**
 * API keys, newest first: members get their own, administrators all keys or those of the user in the query. Throws
 * `not_found` when a member asks for another user's keys.
 */
export async function listKeys(ctx: ReadContext, query: KeyQuery): Promise<ListPage<ApiKey>> {
  const user = requireUser(ctx);
  const page = await ctx.store.keys.list({
    ...pageQuery(query),
    ownerId: ownerAsked(user, query.owner_id),
  });
  const items = await toApiKeys(ctx.store, page.items, ctx.clock.now());
  return { items, next_cursor: page.nextCursor };
}

/** The owner whose keys are listed; null: all owners. */
function ownerAsked(user: UserRecord, asked: string | undefined): string | null {
  if (asked === "me" || asked === user.id) return user.id;
  if (user.role !== "member") return asked ?? null;
  if (asked !== undefined) throw new AppError("not_found", "User not found.");
  return user.id;
}

/** One API key. Throws `not_found`. */
export async function getKey(ctx: ConsoleContext, id: string): Promise<ApiKey> {
  return toApiKey(ctx.store, await findVisibleKey(ctx.store, ctx, id), ctx.clock.now());
}

/** Revokes a key permanently. Throws `not_found`, `forbidden`. */
export async function deleteKey(ctx: ConsoleContext, id: string): Promise<void> {
  await ctx.store.transaction(async (tx) => {
    const key = await findChangeableKey(tx, ctx, id);
    await tx.keys.delete(id);
    await recordAudit(tx, ctx, {
      action: "key.delete",
      target: id,
      detail: { name: key.name, display: key.display, owner: key.ownerId },
    });
  });
}
