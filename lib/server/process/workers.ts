import path from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of an installed package, from which its data files are read: no bundle contains them. */
export function packageFolder(name: string): string {
  return path.join(process.cwd(), "node_modules", name);
}

/**
 * The URL of a bundled worker (`store` for `store.worker.ts`). lib/server/build.mjs builds the bundles; the working
 * directory is the project root under `npm start`, in Next and in tests.
 */
export function workerFile(name: string): URL {
  return pathToFileURL(path.join(process.cwd(), ".next", "patchbay", "workers", `${name}.mjs`));
}
