import { statfs } from "node:fs/promises";

/** Room on the filesystem that holds `directory`; null where it cannot be told. */
export async function readDisk(directory: string): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bsize, bavail, blocks } = await statfs(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
