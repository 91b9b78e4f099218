import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** Begins the names of files that are being written; `sweepLeftovers` deletes those of killed processes. */
export const DRAFT_PREFIX = ".draft-";

/** Writes a file (mode 0600) in one step: a reader, or a crash, finds the old content or the new, never a part. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = path.join(path.dirname(file), `${DRAFT_PREFIX}${randomUUID()}`);
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
