import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The URL of a bundled worker (`writer` for `writer.worker.ts`). lib/server/build.mjs builds the bundles; the working
 * directory is the project root under `npm start`, in Next and in tests.
 */
export function workerFile(name: string): URL {
  return pathToFileURL(path.join(process.cwd(), ".next", "patchbay", "workers", `${name}.mjs`));
}
