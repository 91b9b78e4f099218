import { closeSync, fsyncSync, openSync } from "node:fs";

/** Flushes a file, or the names in a folder, to the disk. */
export function flush(target: string): void {
  const handle = openSync(target, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
