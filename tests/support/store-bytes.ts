import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** All bytes of an instance's store on disk (database, log and index), to search for secrets that must not be there. */
export function readStoreBytes(dataDirectory: string): Buffer {
  const files = readdirSync(dataDirectory).filter((name) => name.startsWith("patchbay.db"));
  if (files.length === 0) throw new Error(`No store in ${dataDirectory}`);
  return Buffer.concat(files.map((name) => readFileSync(path.join(dataDirectory, name))));
}
