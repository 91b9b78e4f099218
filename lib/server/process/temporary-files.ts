import { type FileHandle, mkdtemp, open, readdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ConsoleServices } from "../../console/context";
import { HOUR_MS } from "../../contracts/durations";
import { AppError, diskError } from "../../errors";
import type { Store } from "../../ports/store";
import { makeDirectory } from "../../store/make-directory";

const CHUNK_BYTES = 256 * 1024;
const CONTENT = "content";
/** SQLite's journal of a copy that it writes. */
const JOURNAL = "content-journal";
const PREFIX = { backup: "backup-", spool: "spool-" } as const;
/** A process that has written nothing to its file for this long was killed. */
const LEFT_AFTER_MS = HOUR_MS;

/**
 * The content of a file, read on demand. Closes the file at its end or when the reader leaves, even before the first
 * chunk.
 */
function contentOf(file: FileHandle): AsyncIterable<Uint8Array> {
  let isOpen = true;
  const close = async (): Promise<IteratorResult<Uint8Array>> => {
    if (isOpen) {
      isOpen = false;
      await file.close();
    }
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (!isOpen) return { done: true, value: undefined };
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
        return bytesRead === 0 ? close() : { done: false, value: buffer.subarray(0, bytesRead) };
      },
      return: close,
    }),
  };
}

/**
 * Calls `write` with a file in a new folder that only this OS user can read, and returns the file's content. The file
 * is unlinked before its first byte is read, so a crash leaves it only while it is written; `removeLeftFiles` removes it.
 * Throws `overloaded` when the disk is full, `storage_unavailable` when the directory cannot be written.
 */
async function temporaryContent(
  parent: string,
  prefix: string,
  write: (file: string) => Promise<void>,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    makeDirectory(parent);
    const folder = await mkdtemp(path.join(parent, prefix));
    try {
      const file = path.join(folder, CONTENT);
      await write(file);
      return contentOf(await open(file, "r"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw diskError(error) ?? error;
  }
}

/** The names that `mkdtemp` gives. */
const FOLDER = new RegExp(`^(?:${Object.values(PREFIX).join("|")})[A-Za-z0-9]{6}$`);

/** Removes the files that killed processes have left in the data directory. Folders with other files stay. */
export async function removeLeftFiles(dataDirectory: string, now: number): Promise<void> {
  const names = await readdir(dataDirectory).catch(() => []);
  for (const folder of names
    .filter((name) => FOLDER.test(name))
    .map((name) => path.join(dataDirectory, name))) {
    const file = path.join(folder, CONTENT);
    const written = await stat(file).catch(() => stat(folder).catch(() => null));
    if (written === null || now - written.mtimeMs < LEFT_AFTER_MS) continue;
    for (const name of [CONTENT, JOURNAL])
      await rm(path.join(folder, name), { force: true }).catch(() => undefined);
    await rmdir(folder).catch(() => undefined);
  }
}

/** Makes copies of the store, one at a time. Throws `conflict`. */
export function createBackups(
  store: Pick<Store, "backup">,
  dataDirectory: string,
): () => Promise<AsyncIterable<Uint8Array>> {
  let isBusy = false;
  return async () => {
    if (isBusy) throw new AppError("conflict", "A backup is already in progress. Try again in a moment.");
    isBusy = true;
    try {
      return await temporaryContent(dataDirectory, PREFIX.backup, (file) => store.backup(file));
    } finally {
      isBusy = false;
    }
  };
}

/** Writes replies that cannot be sent yet to files in the data directory. See `ConsoleServices.spool`. */
export function createSpool(dataDirectory: string): ConsoleServices["spool"] {
  return (chunks) =>
    temporaryContent(dataDirectory, PREFIX.spool, (file) =>
      writeFile(file, chunks, { flag: "wx", mode: 0o600 }),
    );
}
