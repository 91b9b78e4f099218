import type { Store } from "../ports/store";
import { isPostgresUrl, type StoreOptions } from "./options";

export type { StoreOptions } from "./options";

/**
 * Opens the store. Creates or migrates it first under a lock, so that instances may start at the same time. Throws an
 * Error whose message says what is wrong: damaged, not writable, not reachable, or of a newer version.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (isPostgresUrl(options.databaseUrl)) {
    const { openPostgresStore } = await import("./postgres/open");
    return openPostgresStore(options);
  }
  if (options.databaseUrl.startsWith("file:")) {
    const { openSqliteStore } = await import("./sqlite/open");
    return openSqliteStore(options);
  }
  throw new Error("DATABASE_URL is neither file:<path> nor postgres://<host>/<database>.");
}
