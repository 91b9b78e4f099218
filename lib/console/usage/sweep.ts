import { DAY_MS } from "../../contracts/durations";
import { readSettings } from "../access/read-settings";
import type { ConsoleServices } from "../context";
import { inBatches } from "../in-batches";

type Swept = Pick<ConsoleServices, "store" | "clock" | "instance" | "log">;

/** Most rows of rejected requests, at any age: about 50 MB. */
const MAX_REJECTIONS = 200_000;

/**
 * True when this clock is more than a day ahead of another running instance's: the retention would then delete entries
 * that are not old enough. The heartbeats of ended instances are removed within a minute.
 */
async function isClockAhead({ store, clock, log }: Swept): Promise<boolean> {
  const others = (await store.ledger.instances(0)).filter(({ isSelf }) => !isSelf);
  const ms = clock.now() - Math.min(...others.map(({ heartbeatAt }) => heartbeatAt));
  if (ms <= DAY_MS) return false;
  log.warn("retention_skipped", { ms, reason: "the clocks of the servers differ by more than a day" });
  return true;
}

/**
 * Deletes ledger entries, stored prompts and rejected requests older than the retention settings, and the oldest rows
 * of rejected requests beyond MAX_REJECTIONS; sums by hour and balances stay.
 */
export async function sweepUsage(
  services: Swept,
): Promise<{ rows: number; prompts: number; rejections: number }> {
  const { store, clock, instance } = services;
  const settings = await readSettings(store);
  const keepsAll = await isClockAhead(services);
  const sweepLedger = async (what: "rows" | "prompts", days: number | null): Promise<number> =>
    days === null
      ? 0
      : inBatches(instance, (limit) => store.ledger.sweep(what, clock.now() - days * DAY_MS, limit));
  const { usage, prompts } = keepsAll ? { usage: null, prompts: null } : settings.retention_days;
  const now = clock.now();
  // A prompt is deleted at the latest with its entry. Dropping a month of entries below does not delete their prompts.
  const promptDays = Math.min(usage ?? Number.POSITIVE_INFINITY, prompts ?? Number.POSITIVE_INFINITY);
  const rejectionDays = keepsAll ? null : settings.rejection_retention_days;
  const rejectedBefore = rejectionDays === null ? 0 : now - rejectionDays * DAY_MS;
  const swept = {
    prompts: await sweepLedger("prompts", Number.isFinite(promptDays) ? promptDays : null),
    rejections: await inBatches(instance, (limit) =>
      store.rejections.sweep(rejectedBefore, MAX_REJECTIONS, limit),
    ),
  };
  // Drops whole months at once, before the rest is deleted by row. Fails while the table is in use, such as by a
  // backup.
  await store.ledger.maintain(now, usage === null ? null : now - usage * DAY_MS);
  return { ...swept, rows: await sweepLedger("rows", usage) };
}
