import type { ConsoleServices } from "../../console/context";
import { AppError } from "../../errors";
import type { Store } from "../../ports/store";

/** Stores known to be claimed. Set-up closes for good, so the answer is asked for only until it is yes. */
const storesSetUp = new WeakSet<Store>();

/** Throws `not_initialized` before set-up, `storage_unavailable` when the store cannot tell. */
export async function requireSetUp(services: ConsoleServices): Promise<void> {
  if (storesSetUp.has(services.store)) return;
  if (!(await services.store.setup.isSetUp())) {
    throw new AppError(
      "not_initialized",
      "This instance is not set up yet: open its address in a browser and finish the set-up first.",
    );
  }
  storesSetUp.add(services.store);
}
