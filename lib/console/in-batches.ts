import type { Instance } from "../ports/instance";

/** Rows deleted per transaction: calls wait for it, so it is short. */
const BATCH_ROWS = 500;
/** Pause between two transactions, so that calls settle in between. */
const PAUSE_MS = 20;

/**
 * Runs `sweep` until it removes fewer rows than its limit, or the server drains; returns how many rows were removed.
 */
export async function inBatches(
  instance: Pick<Instance, "draining">,
  sweep: (limit: number) => Promise<number>,
): Promise<number> {
  let removed = 0;
  while (instance.draining !== true) {
    const count = await sweep(BATCH_ROWS);
    removed += count;
    if (count < BATCH_ROWS) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return removed;
}
