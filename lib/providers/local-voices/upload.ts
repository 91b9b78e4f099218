import { constants } from "node:fs";
import { mkdir, open, readdir, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { MAX_ARCHIVE_BYTES } from "../../contracts/console/local-voices";
import { AppError, diskError } from "../../errors";
import type { UploadPart } from "../../ports/local-voices";
import { ARCHIVE_ENDING, resumableBytes, tooLarge } from "./download";
import { writeAll } from "./write-all";

const PREFIX = ".upload-";

/**
 * Writes one part of an archive to the disk; the parts come in order, and an upload that was interrupted is continued
 * where it ended. Throws `invalid` (kind or size of the file), `conflict` (another part is expected), `overloaded` (the
 * disk is full), `storage_unavailable` (the directory cannot be written).
 */
export async function writePart(
  directory: string,
  name: string,
  { file, offset, total, bytes }: UploadPart,
): Promise<{ received: number; archive: string }> {
  const ending = ARCHIVE_ENDING.exec(file)?.[0].toLowerCase();
  if (ending === undefined) throw new AppError("invalid", "The file's name must end in .tar.bz2 or .tar.gz.");
  if (total > MAX_ARCHIVE_BYTES) throw tooLarge(total);
  if (bytes.length === 0 || offset + bytes.length > total)
    throw new AppError("invalid", `A part must have 1 to ${total - offset} bytes; got ${bytes.length}.`);
  const archive = path.join(directory, `${PREFIX}${name}${ending}`);
  try {
    await mkdir(directory, { recursive: true });
    await writeAt(archive, bytes, offset);
  } catch (error) {
    throw diskError(error) ?? error;
  }
  return { received: offset + bytes.length, archive };
}

/** Writes a part of an archive; the first one replaces what was there. Throws `conflict` when it is not the next one. */
async function writeAt(archive: string, bytes: Uint8Array, offset: number): Promise<void> {
  if (offset === 0) await truncate(archive, 0).catch(() => undefined);
  else {
    const have = (await stat(archive).catch(() => null))?.size ?? 0;
    if (have !== offset)
      throw new AppError("conflict", `The next part must begin at byte ${have}; got ${offset}.`);
  }
  // At its offset, not at the end: the same part may be arriving twice.
  const output = await open(archive, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    await writeAll(output, bytes, offset);
  } finally {
    await output.close();
  }
}

/** Sizes of the downloads that can be resumed, by voice. */
export async function partialDownloads(directory: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const file of await readdir(directory).catch(() => [])) {
    const name = /^\.download-(.+?)\.(?:tar\.bz2|tbz2?|tar\.gz|tgz)$/.exec(file)?.[1];
    if (name === undefined) continue;
    const size = await resumableBytes(path.join(directory, file));
    if (size > 0) sizes.set(name, size);
  }
  return sizes;
}
