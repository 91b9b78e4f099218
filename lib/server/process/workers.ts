import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Where a bundled worker stands (`writer` for `writer.worker.ts`). The bundles are made by lib/server/build.mjs;
 * the working directory is the project's root under `npm start`, Next and the tests alike.
 */
export function workerFile(name: string): URL {
  return pathToFileURL(path.join(process.cwd(), ".next", "patchbay", "workers", `${name}.mjs`));
}
