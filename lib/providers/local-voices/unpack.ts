import { createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import unbzip2Stream from "unbzip2-stream";
import { writeAll } from "./write-all";

/** Limits of an archive; Kokoro with all languages has 400 files and 400 MB. */
export interface UnpackLimits {
  bytes: number;
  files: number;
}

const UNPACK_LIMITS: UnpackLimits = { bytes: 4 * 1024 ** 3, files: 10_000 };

const MAX_NAME_LENGTH = 200;
const MAX_PATH_DEPTH = 8;

/** The archive is refused; nothing of it may be used. */
export class RefusedArchive extends Error {
  override readonly name = "RefusedArchive";
}

/**
 * Unpacks a `.tar.bz2` or `.tar.gz` into `directory`, which exists and is empty, without the archive's own top folder.
 * Only folders and plain files are written, all of them new and below `directory`. Throws RefusedArchive for any other
 * entry, a path outside, too many files or bytes, and a damaged archive; the caller deletes what was written.
 */
export async function unpack(
  archive: string,
  directory: string,
  limits: UnpackLimits = UNPACK_LIMITS,
  onProgress: (bytes: number) => void = () => {},
): Promise<void> {
  const counted = { bytes: 0, files: 0 };
  let top: string | null = null;
  const parser = new Parser({ strict: true, maxMetaEntrySize: 1024 * 1024 });
  const write = async (entry: ReadEntry): Promise<void> => {
    counted.files += 1;
    counted.bytes += entry.size;
    if (counted.files > limits.files) throw new RefusedArchive(`It has more than ${limits.files} files.`);
    // The header's size is exact: the parser refuses an archive that ends before.
    if (counted.bytes > limits.bytes) {
      throw new RefusedArchive(`It unpacks to more than ${Math.round(limits.bytes / 1024 ** 2)} MB.`);
    }
    const [first = "", ...rest] = segmentsOf(entry);
    top ??= first;
    if (first !== top) throw new RefusedArchive("It must contain one folder with all files in it.");
    const target = path.join(directory, ...rest);
    if (entry.type === "Directory") {
      entry.resume();
      await mkdir(target, { recursive: true, mode: 0o755 });
      return;
    }
    if (rest.length === 0) throw new RefusedArchive("It must contain one folder with all files in it.");
    await mkdir(path.dirname(target), { recursive: true, mode: 0o755 });
    await writeNew(target, entry);
    onProgress(counted.bytes);
  };
  try {
    const unzip = await decompressorOf(archive);
    const source = createReadStream(archive);
    const plain = new PassThrough();
    await Promise.all([
      pipeline(source, unzip, plain),
      parseAll(plain, parser, write).finally(() => plain.destroy()),
    ]);
  } catch (error) {
    if (error instanceof RefusedArchive) throw error;
    // The message of the system names the data directory.
    if (isSystemError(error)) {
      if (error.code !== "EEXIST" && error.code !== "ENOTDIR") throw error;
      throw new RefusedArchive("Two of its entries have the same path.");
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new RefusedArchive(`It is damaged or incomplete (${reason.slice(0, 200)}).`);
  }
  if (counted.files === 0) throw new RefusedArchive("It is empty.");
}

/** Feeds the parser, one entry at a time; the first error ends it. */
async function parseAll(
  source: AsyncIterable<Uint8Array>,
  parser: Parser,
  write: (entry: ReadEntry) => Promise<void>,
): Promise<void> {
  let failure: unknown = null;
  let writing: Promise<void> = Promise.resolve();
  const fail = (error: unknown) => {
    failure ??= error;
  };
  parser.on("error", fail);
  parser.on("entry", (entry: ReadEntry) => {
    if (failure !== null) {
      entry.resume();
      return;
    }
    writing = write(entry).catch((error: unknown) => {
      fail(error);
      entry.resume();
    });
  });
  const ended = new Promise<void>((resolve) => {
    parser.on("end", () => resolve());
    parser.on("error", () => resolve());
  });
  for await (const chunk of source) {
    if (failure !== null) throw failure;
    if (parser.write(Buffer.from(chunk)) === false) await drained(parser, () => failure !== null);
  }
  parser.end();
  await ended;
  await writing;
  if (failure !== null) throw failure;
}

/** Waits until the parser takes more, or has failed. */
async function drained(parser: Parser, hasFailed: () => boolean): Promise<void> {
  let isDrained = false;
  parser.once("drain", () => {
    isDrained = true;
  });
  while (!isDrained && !hasFailed()) await new Promise((resolve) => setImmediate(resolve));
}

/** Chosen by the first bytes, because a mirror may use any file names. */
async function decompressorOf(archive: string): Promise<NodeJS.ReadWriteStream> {
  const file = await open(archive);
  try {
    const { buffer } = await file.read(Buffer.alloc(3), 0, 3, 0);
    if (buffer[0] === 0x1f && buffer[1] === 0x8b) return createGunzip();
    if (buffer.toString("latin1") === "BZh") return unbzip2Stream();
  } finally {
    await file.close();
  }
  throw new RefusedArchive("It is neither a .tar.bz2 nor a .tar.gz archive.");
}

/** The parts of an entry's path. Throws RefusedArchive for links, devices and paths that lead elsewhere. */
function segmentsOf({ path: name, type }: ReadEntry): string[] {
  const shown = JSON.stringify(name.slice(0, 100));
  if (type !== "File" && type !== "OldFile" && type !== "ContiguousFile" && type !== "Directory") {
    throw new RefusedArchive(`Its entry ${shown} is a ${type}; only files and folders are accepted.`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose.
  const isForeign = /[\\\u0000-\u001f:]/.test(name) || name.startsWith("/");
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  const isWrong = parts.some((part) => part === ".." || part.length > MAX_NAME_LENGTH);
  if (isForeign || isWrong || parts.length > MAX_PATH_DEPTH || (parts.length === 0 && type !== "Directory")) {
    throw new RefusedArchive(`Its entry ${shown} has a path that is not accepted.`);
  }
  return parts;
}

async function writeNew(target: string, entry: ReadEntry): Promise<void> {
  const file = await open(target, "wx", 0o644);
  try {
    let done = 0;
    for await (const chunk of entry) {
      await writeAll(file, chunk, done);
      done += chunk.length;
    }
  } finally {
    await file.close();
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
