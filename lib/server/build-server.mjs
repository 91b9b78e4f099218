/** Second half of `npm run build`: bundles the server and records which sources the pages were built from. */
import { ensureServer, notePages } from "./build.mjs";

await ensureServer();
await notePages();
