import { ensureServer } from "../../lib/server/build.mjs";
import { findNginx } from "./nginx";
import { findPgBouncer } from "./pgbouncer";
import { findClientPrograms } from "./postgres";
import { findRedis } from "./redis";

/** Rebuilds the bundles of the server and its worker threads if their sources have changed; finds or installs servers. */
export default async function setup(): Promise<void> {
  await ensureServer();
  for (const find of [findRedis, findNginx, findPgBouncer, findClientPrograms]) {
    try {
      // Here, since test files that run side by side cannot install at once.
      find();
    } catch {
      // The files that need it say so.
    }
  }
}
