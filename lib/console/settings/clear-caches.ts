import type { Repositories } from "../../ports/store";
import { requireSignedInAdmin } from "../access/guards";
import { requireWritableSite } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";

/** Counter raised at each clearing, so that every process notices. */
const SETTING = "cache_clearings";

/** The number of clearings so far. */
export async function readClearings(store: Pick<Repositories, "settings">): Promise<number> {
  const stored = (await store.settings.all())[SETTING];
  return typeof stored === "number" ? stored : 0;
}

/** Clears cached vectors and speech, here at once and in other processes within a second. Throws `forbidden`. */
export async function clearCaches(ctx: ConsoleContext): Promise<void> {
  await requireWritableSite(ctx, requireSignedInAdmin(ctx));
  await ctx.store.transaction(async (tx) => {
    await tx.settings.put(SETTING, (await readClearings(tx)) + 1);
    await recordAudit(tx, ctx, { action: "caches.clear" });
  });
  await ctx.instance.refreshSettings?.();
}
