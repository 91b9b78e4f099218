import type { OwnerProof } from "../../contracts/console/settings";
import { AppError } from "../../errors";
import { requireOwner } from "../access/guards";
import { recordAudit } from "../audit/record";
import { verifyOwnPassword } from "../auth/step-up";
import type { ConsoleContext } from "../context";

/** The file name of a backup taken at `now`. */
function nameAt(now: number): string {
  return `patchbay-${new Date(now).toISOString().slice(0, 16).replaceAll(":", "")}.db`;
}

/**
 * A consistent copy of the whole store, after checking the password. It contains hashes, encrypted secrets and the
 * usage ledger. Throws `forbidden`, `step_up_failed`, `conflict` (PostgreSQL has its own tools; or a backup is
 * running).
 */
export async function downloadBackup(
  ctx: ConsoleContext,
  proof: OwnerProof,
): Promise<{ name: string; body: AsyncIterable<Uint8Array> }> {
  const owner = requireOwner(ctx, "Only the owner may download a backup.");
  if (ctx.store.kind !== "sqlite" || ctx.takeBackup === undefined)
    throw new AppError("conflict", "This store is PostgreSQL: back it up with pg_dump.");
  await verifyOwnPassword(ctx, owner, proof.password);
  const body = await ctx.takeBackup();
  try {
    await ctx.store.transaction((tx) => recordAudit(tx, ctx, { action: "store.backup" }));
  } catch (error) {
    // Otherwise the copy, an unlinked but open file, would take disk space until it is garbage-collected.
    await body[Symbol.asyncIterator]().return?.();
    throw error;
  }
  return { name: nameAt(ctx.clock.now()), body };
}
