import { statfs } from "node:fs/promises";

/** Free and total space of the filesystem of `directory`; null when unknown. */
export async function readDisk(directory: string): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bsize, bavail, blocks } = await statfs(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
