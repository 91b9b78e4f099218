import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { AppError } from "../../errors";
import { digestOf } from "./download";

/** Records of archives and folders. Publishers give no digests, so the first download is trusted. */

/** In `<data>/voices`: SHA-256 of each archive when it was first downloaded, by file name, whatever its host. */
const FIRST_DIGESTS = ".digests.json";
/** In a model's folder: SHA-256 of its files when they were installed. */
const FILES = ".installed.json";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const Digests = z.record(z.string(), Digest);
const Installed = z.strictObject({ archive: Digest, files: Digests });

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
}

/** The digests of the archives that were downloaded before, by file name. */
export async function firstDigests(directory: string): Promise<Readonly<Record<string, string>>> {
  return (await readJson(path.join(directory, FIRST_DIGESTS), Digests)) ?? {};
}

/** Remembers the digest of an archive, unless one is known. */
export async function rememberDigest(directory: string, archive: string, digest: string): Promise<void> {
  const known = await firstDigests(directory);
  if (Object.hasOwn(known, archive)) return;
  const text = `${JSON.stringify({ ...known, [archive]: digest }, null, 2)}\n`;
  await writeFile(path.join(directory, FIRST_DIGESTS), text, { mode: 0o600 });
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

/** SHA-256 of the archive that a folder was installed from; null: its files were copied there. */
export async function archiveDigest(folder: string): Promise<string | null> {
  return (await readJson(path.join(folder, FILES), Installed))?.archive ?? null;
}

/**
 * Compares the files with those that were installed; false when nothing was recorded. Throws `invalid` naming a file that
 * was changed or deleted.
 */
export async function checkFiles(folder: string): Promise<boolean> {
  const recorded = await readJson(path.join(folder, FILES), Installed);
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
