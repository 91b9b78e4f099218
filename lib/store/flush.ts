import { closeSync, fsyncSync, openSync, statSync } from "node:fs";

/** Flushes a file, or the names in a folder, to the disk. */
export function flush(target: string, platform = process.platform): void {
  const isFolder = statSync(target).isDirectory();
  // Windows flushes no folders, and only files opened for writing.
  if (isFolder && platform === "win32") return;
  const handle = openSync(target, isFolder ? "r" : "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
