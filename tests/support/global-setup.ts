import { ensureServer } from "../../lib/server/build.mjs";
import { findRedis } from "./redis";

/** Rebuilds the bundles of the server and its worker threads if their sources have changed; finds or installs Redis. */
export default async function setup(): Promise<void> {
  await ensureServer();
  try {
    // Here, since test files that run side by side cannot install at once.
    findRedis();
  } catch {
    // The files that need it say so.
  }
}
