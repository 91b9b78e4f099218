import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureServer } from "../../lib/server/build.mjs";
import { findCaddy } from "./caddy";
import { findNginx } from "./nginx";
import { findPgBouncer } from "./pgbouncer";
import { findClientPrograms } from "./postgres";
import { findRedis } from "./redis";

/**
 * Rebuilds the bundles of the server and its worker threads if their sources have changed; finds or installs servers.
 * Returns what to do at the end of the run.
 */
export default async function setup(): Promise<() => void> {
  // Vitest calls this for every project.
  if (process.env.PATCHBAY_TEST_POSTGRES_DATA !== undefined) return () => undefined;
  const postgresData = mkdtempSync(path.join(tmpdir(), "patchbay-postgres-data-"));
  chmodSync(postgresData, 0o755);
  process.env.PATCHBAY_TEST_POSTGRES_DATA = postgresData;
  await ensureServer();
  for (const find of [findRedis, findNginx, findCaddy, findPgBouncer, findClientPrograms]) {
    try {
      // Here, because concurrent test files cannot install at the same time.
      find();
    } catch {
      // The test files that need it report that it is missing.
    }
  }
  return () => rmSync(postgresData, { recursive: true, force: true });
}
