/** `npm run build`, second half: the server's bundles, and a note of what the pages were built from. */
import { ensureServer, notePages } from "./build.mjs";

await ensureServer();
await notePages();
