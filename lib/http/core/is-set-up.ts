import type { ConsoleServices } from "../../console/context";
import { NOT_SET_UP } from "../../contracts/gateway/error-sentences";
import { AppError } from "../../errors";
import type { Store } from "../../ports/store";

/** Stores whose initial setup is done. Setup cannot be undone, so the store is queried only until then. */
const storesSetUp = new WeakSet<Store>();

/** Throws `not_initialized` before the initial setup, `storage_unavailable` when the store cannot be read. */
export async function requireSetUp(services: ConsoleServices): Promise<void> {
  if (storesSetUp.has(services.store)) return;
  if (!(await services.store.setup.isSetUp())) {
    throw new AppError(
      "not_initialized",
      `${NOT_SET_UP}: open it in a browser and complete the initial setup.`,
    );
  }
  storesSetUp.add(services.store);
}
