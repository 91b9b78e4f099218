/** Second half of `npm run build`: bundles the server and records which sources the pages were built from. */
import { ensureServer, finishPages } from "./build.mjs";

await ensureServer();
await finishPages();
