import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import path from "node:path";
import { AppError } from "../../errors";
import type { Store } from "../../ports/store";

const CHUNK_BYTES = 256 * 1024;

/** The content of a file, read on demand. Closes the file at its end or when the reader leaves, even before the first chunk. */
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
 * Makes copies of the store, one at a time, in a folder that only this OS user can read. A copy is unlinked before its
 * first byte is read: it exists while its reader holds it open, and a crash leaves no copy. Throws `conflict`.
 */
export function createBackups(
  store: Pick<Store, "backup">,
  dataDirectory: string,
): () => Promise<AsyncIterable<Uint8Array>> {
  let isBusy = false;
  return async () => {
    if (isBusy) throw new AppError("conflict", "A backup is already in progress. Try again in a moment.");
    isBusy = true;
    const folder = await mkdtemp(path.join(dataDirectory, "backup-"));
    try {
      const target = path.join(folder, "patchbay.db");
      await store.backup(target);
      return contentOf(await open(target, "r"));
    } finally {
      isBusy = false;
      await rm(folder, { recursive: true, force: true });
    }
  };
}
