import { readSettings } from "../access/read-settings";
import type { ConsoleServices } from "../context";

const DAY_MS = 86_400_000;
/** Rows deleted per transaction: calls wait for it, so it is short. */
const AT_ONCE = 500;
/** Most transactions of one sweep; the next sweep continues. */
const MOST_BATCHES = 400;
/** Pause between two transactions, so that calls settle in between. */
const PAUSE_MS = 5;

type Swept = Pick<ConsoleServices, "store" | "clock">;

async function sweepOlder(
  { store, clock }: Swept,
  what: "rows" | "prompts",
  days: number | null,
): Promise<number> {
  if (days === null) return 0;
  const before = clock.now() - days * DAY_MS;
  let removed = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const count = await store.ledger.sweep(what, before, AT_ONCE);
    removed += count;
    if (count < AT_ONCE) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return removed;
}

/** Deletes usage rows and stored prompts older than the retention settings; hourly sums and balances stay. */
export async function sweepUsage(services: Swept): Promise<{ rows: number; prompts: number }> {
  const { retention_days: days } = await readSettings(services.store);
  return {
    prompts: await sweepOlder(services, "prompts", days.prompts),
    rows: await sweepOlder(services, "rows", days.usage),
  };
}
