import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { AppError, systemCode } from "../../errors";
import { digestOf } from "./download";
import { createFile } from "./replace-file";

/** Records of archives and folders. Publishers give no digests, so the first download is trusted. */

/** In `<data>/voices`, from earlier versions: SHA-256 of each archive when it was first downloaded, by file name. */
const EARLIER_DIGESTS = ".digests.json";
/**
 * In `<data>/voices`: one file per archive name, whatever its host, so that concurrent installations cannot overwrite
 * each other's record.
 */
const DIGEST_FILE = /^\.digest-[0-9a-f]{32}\.json$/;
/** In a model's folder: SHA-256 of its files when they were installed. */
const FILES = ".installed.json";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const Digests = z.record(z.string(), Digest);
const FirstDownload = z.strictObject({ archive: z.string(), sha256: Digest });
const Installed = z.strictObject({ archive: Digest, files: Digests });

/** Null only when there is no file. Throws when it cannot be read. */
async function readRecord<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** The archive's name is hashed, because it can be too long for a file name. */
function digestFile(directory: string, archive: string): string {
  const key = createHash("sha256").update(archive).digest("hex").slice(0, 32);
  return path.join(directory, `.digest-${key}.json`);
}

/** The digest of an archive's first download; null: never downloaded. Throws `conflict` when a record is damaged. */
export async function firstDigest(directory: string, archive: string): Promise<string | null> {
  const read = <T>(file: string, schema: z.ZodType<T>) =>
    readRecord(file, schema).catch((error: unknown) => {
      const advice = "restore it from a backup, or delete it to trust the next download";
      throw new AppError(
        "conflict",
        `The record of earlier downloads, ${path.basename(file)} in the voices directory, cannot be read: ${advice}.`,
        {},
        error,
      );
    });
  const own = await read(digestFile(directory, archive), FirstDownload);
  if (own !== null) return own.sha256;
  const earlier = (await read(path.join(directory, EARLIER_DIGESTS), Digests)) ?? {};
  return Object.hasOwn(earlier, archive) ? (earlier[archive] ?? null) : null;
}

/** The digests of the archives that were downloaded before, by file name. Damaged records are left out. */
export async function firstDigests(directory: string): Promise<Readonly<Record<string, string>>> {
  const earlier = await readRecord(path.join(directory, EARLIER_DIGESTS), Digests).catch(() => null);
  const digests = { ...earlier };
  for (const name of await readdir(directory).catch(() => [])) {
    if (!DIGEST_FILE.test(name)) continue;
    const record = await readRecord(path.join(directory, name), FirstDownload).catch(() => null);
    if (record !== null) digests[record.archive] = record.sha256;
  }
  return digests;
}

/**
 * Remembers the digest of an archive, unless one is known; returns the remembered one, the same for all concurrent
 * installations. Throws `conflict` when a record is damaged.
 */
export async function rememberDigest(directory: string, archive: string, sha256: string): Promise<string> {
  const known = await firstDigest(directory, archive);
  if (known !== null) return known;
  const isFirst = await createFile(
    digestFile(directory, archive),
    `${JSON.stringify({ archive, sha256 })}\n`,
  );
  return isFirst ? sha256 : ((await firstDigest(directory, archive)) ?? sha256);
}

async function digestsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const digests: Record<string, string> = {};
  for (const entry of entries) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const name = path.relative(folder, file);
    if (entry.isFile() && name !== FILES) digests[name] = await digestOf(file);
  }
  return digests;
}

export async function recordFiles(folder: string, archive: string): Promise<void> {
  await writeFile(path.join(folder, FILES), JSON.stringify({ archive, files: await digestsOf(folder) }));
}

/**
 * SHA-256 of the archive that a folder was installed from; null: its files were copied there, or the record is damaged.
 */
export async function archiveDigest(folder: string): Promise<string | null> {
  const recorded = await readRecord(path.join(folder, FILES), Installed).catch(() => null);
  return recorded?.archive ?? null;
}

/**
 * Compares the files with those that were installed; false when nothing was recorded. Throws `invalid` naming a file
 * that was changed or deleted, or the record when it is damaged.
 */
export async function checkFiles(folder: string): Promise<boolean> {
  const recorded = await readRecord(path.join(folder, FILES), Installed).catch((error: unknown) => {
    const advice = "remove the voice and install it again";
    throw new AppError("invalid", `${FILES}: The record of the files cannot be read: ${advice}.`, {}, error);
  });
  if (recorded === null) return false;
  for (const [name, installed] of Object.entries(recorded.files)) {
    const file = path.join(folder, name);
    const found = (await stat(file).catch(() => null)) === null ? null : await digestOf(file);
    if (found === null) throw new AppError("invalid", `${name}: The file is missing.`);
    if (found !== installed)
      throw new AppError("invalid", `${name}: The file was changed since it was installed.`);
  }
  return true;
}

const speedFile = (directory: string, name: string) => path.join(directory, `.speed-${name}`);

/** The real-time factor that was measured last, by any process; null: none. */
export async function readSpeed(directory: string, name: string): Promise<number | null> {
  const value = Number(await readFile(speedFile(directory, name), "utf8").catch(() => Number.NaN));
  return value > 0 ? value : null;
}

/** Keeps the real-time factor for the other processes and the next start. */
export async function writeSpeed(directory: string, name: string, factor: number): Promise<void> {
  // Only a figure for the page: a disk that is full must not fail a call.
  await writeFile(speedFile(directory, name), factor.toFixed(4)).catch(() => undefined);
}

export async function deleteSpeed(directory: string, name: string): Promise<void> {
  await rm(speedFile(directory, name), { force: true });
}
