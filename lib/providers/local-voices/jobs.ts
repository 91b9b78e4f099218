import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { MODEL_FOLDER } from "../../contracts/console/local-voices";
import { DAY_MS } from "../../contracts/durations";
import { AppError, systemCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { InstallProgress, VoiceJob } from "../../ports/local-voices";
import { DRAFT_PREFIX, replaceFile } from "./replace-file";

/**
 * The state of each installation, as one file per voice beside the voice folders, so that every process of every server
 * on these folders can show it. The installing process writes it twice a second, and stops when it finds a second file
 * that requests cancellation.
 */

const BEAT_MS = 500;
/** A running job whose file is older than this was left by a process that ended. */
const STALE_MS = 15_000;
/** Age at which interrupted downloads, uploads and drafts are deleted. */
const ABANDONED_MS = 7 * DAY_MS;

const PREFIX = ".install-";
/** Locks held while a new job replaces the file of an ended one; `sweepLeftovers` deletes those of killed processes. */
const TAKEOVER_PREFIX = ".takeover-";
const SUFFIX = ".json";
const CANCEL_MS = 5_000;
const CANCEL_POLL_MS = 50;
/** Requests to cancel a job; `sweepLeftovers` deletes those that came when it had ended. */
const CANCEL_PREFIX = ".cancel-";
const cancelFile = (directory: string, name: string) => path.join(directory, `${CANCEL_PREFIX}${name}`);
const fileOf = (directory: string, name: string) => path.join(directory, `${PREFIX}${name}${SUFFIX}`);

/** The file also has the ID of the job, which is compared as text. */
const Stored = z.object({
  stage: z.enum(["download", "unpack", "verify"]),
  done: z.number(),
  total: z.number().nullable(),
  error: z.string().nullable(),
});
type Stored = z.infer<typeof Stored>;

const START: Stored = { stage: "download", done: 0, total: null, error: null };

/**
 * The file system's current time, to compare with the times of files: it may be another machine's, whose clock differs.
 * Falls back to `now`, this machine's time, when no file can be written.
 */
async function fileTime(directory: string, now: number): Promise<number> {
  const probe = path.join(directory, `${DRAFT_PREFIX}${randomUUID()}`);
  try {
    await writeFile(probe, "", { flag: "wx", mode: 0o600 });
    return (await stat(probe)).mtimeMs;
  } catch {
    return now;
  } finally {
    await rm(probe, { force: true });
  }
}

/** Null only when there is no file. One that cannot be read counts as running until it is stale. */
async function read(file: string, now: number): Promise<Omit<VoiceJob, "name"> | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return null;
  const time = await fileTime(path.dirname(file), now);
  let stored = START;
  try {
    stored = Stored.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
  }
  const isStale = time - found.mtimeMs > STALE_MS;
  return { ...stored, state: stored.error !== null ? "failed" : isStale ? "interrupted" : "running" };
}

/** The installations that are running, and the failed or interrupted ones that were not dismissed yet, by name. */
export async function listJobs(directory: string, now: number): Promise<VoiceJob[]> {
  const names = (await readdir(directory).catch(() => [])).filter(
    (name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX),
  );
  const jobs = await Promise.all(
    names.sort().map(async (file) => {
      const job = await read(path.join(directory, file), now);
      return job === null ? [] : [{ name: file.slice(PREFIX.length, -SUFFIX.length), ...job }];
    }),
  );
  return jobs.flat();
}

/**
 * Cancels an installation and waits up to 5 s until it has ended, or dismisses one that has already ended. Throws
 * `not_found`.
 */
export async function cancelJob(directory: string, name: string, clock: Clock): Promise<void> {
  const file = fileOf(directory, name);
  const job = MODEL_FOLDER.test(name) ? await read(file, clock.now()) : null;
  if (job === null) throw new AppError("not_found", `No installation of '${name.slice(0, 100)}' is running.`);
  if (job.state !== "running") return rm(file, { force: true });
  await writeFile(cancelFile(directory, name), "");
  for (let polls = 0; polls < CANCEL_MS / CANCEL_POLL_MS; polls++) {
    if ((await stat(file).catch(() => null)) === null) return;
    await new Promise((resolve) => setTimeout(resolve, CANCEL_POLL_MS));
  }
}

export interface RunningJob {
  /** Aborted when the job is cancelled, here or by another process. */
  signal: AbortSignal;
  onProgress(progress: InstallProgress): void;
  /** False once another process took the job over, or dismissed it, since this process did not run for 15 s. */
  isOwn(): Promise<boolean>;
  /** Ends the job, if it is still this one's. `error`: kept for the page; null: the file is deleted. */
  end(error: string | null): Promise<void>;
}

/** Creates a file; false when there is one. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Writes the first state of a job, unless another one of this name runs; of concurrent starters, one succeeds. */
async function createJobFile(directory: string, name: string, now: number, text: string): Promise<boolean> {
  const file = fileOf(directory, name);
  if (await create(file, text)) return true;
  const lock = path.join(directory, `${TAKEOVER_PREFIX}${name}`);
  if (!(await create(lock, ""))) return false;
  try {
    const before = await read(file, now);
    // The other job has just ended.
    if (before === null) return await create(file, text);
    if (before.state === "running") return false;
    await replaceFile(file, text);
    return true;
  } finally {
    await rm(lock, { force: true });
  }
}

/** Begins a job. Throws `conflict` while another one of this name runs. */
export async function startJob(
  directory: string,
  name: string,
  clock: Clock,
  outer: AbortSignal,
): Promise<RunningJob> {
  const file = fileOf(directory, name);
  const id = randomUUID();
  let state = START;
  const textOf = (stored: Stored) => JSON.stringify({ ...stored, id });
  if (!(await createJobFile(directory, name, clock.now(), textOf(state))))
    throw new AppError("conflict", `The local voice '${name}' is being installed.`);
  const { mtimeMs: startedAt } = await stat(file);
  const cancelled = new AbortController();
  let writing: Promise<void> = Promise.resolve();
  const isOwn = () =>
    readFile(file, "utf8").then(
      (text) => text.includes(id),
      (error: unknown) => systemCode(error) !== "ENOENT",
    );
  const stop = () => cancelled.abort(new AppError("caller_left", "The installation was cancelled."));
  const beat = async () => {
    if (!(await isOwn())) return stop();
    const request = await stat(cancelFile(directory, name)).catch(() => null);
    // An older request was meant for a job whose process ended.
    if (request !== null && request.mtimeMs >= startedAt) stop();
    // Errors are ignored: on a full disk the installation fails anyway.
    await replaceFile(file, textOf(state)).catch(() => undefined);
  };
  const timer = setInterval(() => {
    writing = writing.then(beat);
  }, BEAT_MS);
  timer.unref();
  return {
    signal: AbortSignal.any([outer, cancelled.signal]),
    onProgress(progress) {
      state = { ...progress, error: null };
    },
    isOwn,
    async end(error) {
      clearInterval(timer);
      await writing;
      if (!(await isOwn())) return;
      await rm(cancelFile(directory, name), { force: true });
      if (error === null) await rm(file, { force: true });
      else await replaceFile(file, textOf({ ...state, error }));
    },
  };
}

/** Ages at which the files of ended processes are deleted, by the beginning of their names. */
const LEFTOVERS_MS: Readonly<Record<string, number>> = {
  ".download-": ABANDONED_MS,
  ".upload-": ABANDONED_MS,
  [DRAFT_PREFIX]: ABANDONED_MS,
  [TAKEOVER_PREFIX]: STALE_MS,
  [CANCEL_PREFIX]: STALE_MS,
};

/**
 * Deletes what ended processes left: folders that were unpacked or removed halfway, abandoned archives, drafts, locks,
 * requests.
 */
export async function sweepLeftovers(directory: string, now: number): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const isAged = (name: string) => Object.keys(LEFTOVERS_MS).some((prefix) => name.startsWith(prefix));
  const time = names.some(isAged) ? await fileTime(directory, now) : now;
  for (const name of names) {
    const target = path.join(directory, name);
    const unpacked = /^\.unpack-(.+)$/.exec(name)?.[1];
    const job = unpacked === undefined ? null : await read(fileOf(directory, unpacked), now);
    const maxAgeMs = Object.entries(LEFTOVERS_MS).find(([prefix]) => name.startsWith(prefix))?.[1];
    const ageMs = time - ((await stat(target).catch(() => null))?.mtimeMs ?? time);
    if (
      name.startsWith(".removed-") ||
      (unpacked !== undefined && job?.state !== "running") ||
      (maxAgeMs !== undefined && ageMs > maxAgeMs)
    )
      await rm(target, { recursive: true, force: true });
  }
}
