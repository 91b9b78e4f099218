import { randomUUID } from "node:crypto";
import { link, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../errors";

/** Begins the names of files that are being written; `sweepLeftovers` deletes those of killed processes. */
export const DRAFT_PREFIX = ".draft-";

/** Writes a draft (mode 0600), and puts it into its place. */
async function withDraft<T>(file: string, text: string, place: (draft: string) => Promise<T>): Promise<T> {
  const draft = path.join(path.dirname(file), `${DRAFT_PREFIX}${randomUUID()}`);
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    return await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a file in one step: a reader, or a crash, finds the old content or the new, never a part. */
export function replaceFile(file: string, text: string): Promise<void> {
  return withDraft(file, text, (draft) => rename(draft, file));
}

/** Like `replaceFile`, but only for a new file: false when it exists. Of concurrent writers, one succeeds. */
export function createFile(file: string, text: string): Promise<boolean> {
  return withDraft(file, text, async (draft) => {
    try {
      await link(draft, file);
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      // A file system without hard links: of concurrent writers, the last one succeeds.
      await rename(draft, file);
    }
    return true;
  });
}
