import { ensureServer } from "../../lib/server/build.mjs";

/** Rebuilds the bundles of the server and its worker threads if their sources have changed. */
export default async function setup(): Promise<void> {
  await ensureServer();
}
