import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rmdir } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import unbzip2Stream from "unbzip2-stream";
import { systemCode } from "../../errors";
import { writeAll } from "./write-all";

/** Limits of an archive; Kokoro with all languages has 400 files and 400 MB. */
export interface UnpackLimits {
  bytes: number;
  files: number;
}

const UNPACK_LIMITS: UnpackLimits = { bytes: 4 * 1024 ** 3, files: 10_000 };

/** Longest name of one file or folder on most file systems. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_DEPTH = 8;

/** The archive is refused; nothing of it may be used. */
export class RefusedArchive extends Error {
  override readonly name = "RefusedArchive";
}

/**
 * Unpacks a `.tar.bz2` or `.tar.gz` into `directory`, which exists and is empty, without the archive's top folder if it
 * has one. Only folders and plain files are written, all of them new and below `directory`; the files that hold
 * attributes for macOS are left out. Throws RefusedArchive for any other entry, a path that is not accepted, too many
 * files or bytes, files at the top without a model, and a damaged archive; the caller deletes what was written.
 */
export async function unpack(
  archive: string,
  directory: string,
  limits: UnpackLimits = UNPACK_LIMITS,
  onProgress: (bytes: number) => void = () => {},
): Promise<void> {
  const counted = { bytes: 0, files: 0 };
  const parser = new Parser({ strict: true, maxMetaEntrySize: 1024 * 1024 });
  const write = async (entry: ReadEntry): Promise<void> => {
    counted.files += 1;
    counted.bytes += entry.size;
    if (counted.files > limits.files) throw new RefusedArchive(`It has more than ${limits.files} files.`);
    // The size in the header is exact: the parser refuses an archive that ends before the entry does.
    if (counted.bytes > limits.bytes) {
      throw new RefusedArchive(`It unpacks to more than ${Math.round(limits.bytes / 1024 ** 2)} MB.`);
    }
    const segments = segmentsOf(entry);
    if (isAppleDouble(entry)) entry.resume();
    else await writeEntry(path.join(directory, ...segments), entry);
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
    if (isSystemError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RefusedArchive(`It is damaged or incomplete (${reason.slice(0, 200)}).`);
  }
  if (counted.files === 0) throw new RefusedArchive("It is empty.");
  await removeTopFolder(directory);
}

/** Moves the files of the only folder up. Throws RefusedArchive for other contents without a model. */
async function removeTopFolder(directory: string): Promise<void> {
  const found = await readdir(directory, { withFileTypes: true });
  const [top] = found;
  if (found.length === 1 && top?.isDirectory()) {
    const moved = `${directory}.top`;
    await rename(path.join(directory, top.name), moved);
    await rmdir(directory);
    await rename(moved, directory);
  } else if (!found.some(({ name }) => name.endsWith(".onnx")))
    throw new RefusedArchive("It must contain the files of one voice, or one folder with all of them.");
}

/** Feeds the parser, which emits an entry as soon as the previous one has been read; the first error ends it. */
async function parseAll(
  source: AsyncIterable<Uint8Array>,
  parser: Parser,
  write: (entry: ReadEntry) => Promise<void>,
): Promise<void> {
  let failure: unknown = null;
  let writing: Promise<void> = Promise.resolve();
  /** Ends the wait of a parser that takes no more. */
  let wake = () => {};
  const fail = (error: unknown) => {
    failure ??= error;
    wake();
  };
  parser.on("error", fail);
  parser.on("drain", () => wake());
  parser.on("entry", (entry: ReadEntry) => {
    if (failure !== null) {
      entry.resume();
      return;
    }
    const written = write(entry).catch((error: unknown) => {
      fail(error);
      entry.resume();
    });
    // The last bytes of the previous entry may still be on their way to the disk.
    writing = writing.then(() => written);
  });
  const ended = new Promise<void>((resolve) => {
    parser.on("end", () => resolve());
    parser.on("error", () => resolve());
  });
  for await (const chunk of source) {
    if (failure !== null) throw failure;
    if (parser.write(Buffer.from(chunk)) === false && failure === null)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  parser.end();
  await ended;
  await writing;
  if (failure !== null) throw failure;
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

/** macOS packs the attributes of each file as an entry of its own beside it, `._` and its name (AppleDouble). */
const isAppleDouble = ({ path: name, type }: ReadEntry) =>
  type === "File" && path.posix.basename(name).startsWith("._");

function refusedEntry({ path: name }: ReadEntry, why: string): RefusedArchive {
  return new RefusedArchive(`Its entry ${JSON.stringify(name.slice(0, 100))} ${why}.`);
}

/** The parts of an entry's path. Throws RefusedArchive for links, devices and paths that are not accepted. */
function segmentsOf(entry: ReadEntry): string[] {
  const { path: name, type } = entry;
  if (type !== "File" && type !== "OldFile" && type !== "ContiguousFile" && type !== "Directory")
    throw refusedEntry(entry, `is a ${type}; only files and folders are accepted`);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (name.startsWith("/") || parts.includes("..") || (parts.length === 0 && type !== "Directory"))
    throw refusedEntry(entry, "has a path outside the archive; only paths inside it are accepted");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose.
  if (/[\\\u0000-\u001f:]/.test(name))
    throw refusedEntry(entry, "has a backslash, a colon or a control character, which are not accepted");
  if (parts.length > MAX_PATH_DEPTH)
    throw refusedEntry(entry, `has a path of ${parts.length} names; at most ${MAX_PATH_DEPTH} are accepted`);
  const longest = Math.max(...parts.map((part) => Buffer.byteLength(part)));
  if (longest > MAX_NAME_BYTES)
    throw refusedEntry(entry, `has a name of ${longest} bytes; at most ${MAX_NAME_BYTES} are accepted`);
  return parts;
}

const SAME_PATH =
  "has the same path as another entry, or one that the server's file system takes for the same";

/** What an error of the file system says about an entry's path. Its own message names the data directory. */
const PATH_ERRORS: Readonly<Record<string, string>> = {
  EEXIST: SAME_PATH,
  ENOTDIR: SAME_PATH,
  ENAMETOOLONG: "has a path that is too long for the server's file system",
};

/** Writes an entry with the folders above it. Throws RefusedArchive for a path that the file system does not take. */
async function writeEntry(target: string, entry: ReadEntry): Promise<void> {
  try {
    const isFolder = entry.type === "Directory";
    await mkdir(isFolder ? target : path.dirname(target), { recursive: true, mode: 0o755 });
    if (isFolder) entry.resume();
    else await writeNew(target, entry);
  } catch (error) {
    const why = PATH_ERRORS[systemCode(error)];
    throw why === undefined ? error : refusedEntry(entry, why);
  }
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
