import { ensureServer } from "../../lib/server/build.mjs";

/** The server and its worker threads run from bundles; tests make them anew when the sources have changed. */
export default async function setup(): Promise<void> {
  await ensureServer();
}
