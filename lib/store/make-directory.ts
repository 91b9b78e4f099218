import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../errors";

/**
 * Creates a directory that only its owner may read, and its parents, if missing. Node's own recursive creation never
 * ends below an existing directory in which mkdir fails with ENOENT, such as /proc.
 */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  const parent = path.dirname(directory);
  if (parent !== directory) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
