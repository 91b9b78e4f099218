import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { MODEL_FOLDER } from "../../contracts/console/local-voices";
import { AppError, diskError, isAppError, systemCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { InstallOptions, VoiceFolder, VoiceSource } from "../../ports/local-voices";
import type { UpstreamClient } from "../outbound/create";
import { ARCHIVE_ENDING, deleteDownload, digestOf, download } from "./download";
import { type RunningJob, startJob } from "./jobs";
import { UnusableFile } from "./onnx-metadata";
import { type ReadFolder, readVoiceFolder } from "./read-folder";
import { firstDigest, recordFiles, rememberDigest } from "./records";
import type { UnpackMessage } from "./unpack.worker";

export interface InstallSettings {
  /** `<data>/voices`. */
  directory: string;
  /** The bundled unpack.worker.ts. */
  unpackWorker: URL;
  client: UpstreamClient;
  clock: Clock;
  /** Speaks a sentence with a model before it is moved into place. Throws AppError. */
  tryOut(read: ReadFolder): Promise<unknown>;
}

/** Throws `invalid` for a name that no folder of a voice may have. */
export function requireName(name: string): string {
  if (MODEL_FOLDER.test(name)) return name;
  throw new AppError(
    "invalid",
    `'${name.slice(0, 100)}' is not a valid name: letters, digits and ._- are accepted.`,
  );
}

/**
 * Installs an archive as `<data>/voices/<name>`: download, digest, unpack, check of the files, a spoken sentence, and
 * one rename. Throws AppError `conflict` (the folder exists, or a record is damaged), `invalid` (the archive or its
 * model), `upstream_*`, `caller_left`. A download that was interrupted is continued by the next one.
 */
export async function installVoice(
  settings: InstallSettings,
  name: string,
  source: VoiceSource,
  { signal, onProgress }: InstallOptions,
): Promise<VoiceFolder> {
  const { directory } = settings;
  // Without `turbopackIgnore`, Next's build traces the whole project for a path that it cannot resolve.
  const target = path.join(/* turbopackIgnore: true */ directory, requireName(name));
  if ((await stat(/* turbopackIgnore: true */ target).catch(() => null)) !== null) {
    throw alreadyExists(name);
  }
  await mkdir(directory, { recursive: true });
  const job = await startJob(directory, name, settings.clock, signal);
  const work = path.join(directory, `.unpack-${name}`);
  const report: InstallOptions["onProgress"] = (progress) => {
    job.onProgress(progress);
    onProgress(progress);
  };
  const clear = async (failure: string | null) => {
    if (await job.isOwn()) {
      await rm(work, { recursive: true, force: true });
      if ("file" in source && source.isTemporary) await rm(source.file, { force: true });
    }
    // Last, since the next installation may begin once the job has ended.
    await job.end(failure);
  };
  try {
    report({ stage: "download", done: 0, total: null });
    // Deletes the files of an installation whose process ended early.
    await rm(work, { recursive: true, force: true });
    await mkdir(path.join(work, name), { recursive: true });
    const folder = await unpackInto(settings, work, name, source, { ...job, onProgress: report });
    await clear(null);
    return folder;
  } catch (error) {
    const failure = diskError(error) ?? error;
    const reason = isAppError(failure) ? failure.message : "The installation failed.";
    // On a full disk the reason may not be written either.
    await clear(job.signal.aborted ? null : reason).catch(() => undefined);
    throw failure;
  }
}

async function unpackInto(
  settings: InstallSettings,
  work: string,
  name: string,
  source: VoiceSource,
  { signal, onProgress, isOwn }: Omit<RunningJob, "end">,
): Promise<VoiceFolder> {
  const { directory } = settings;
  const archiveName = "url" in source ? path.basename(new URL(source.url).pathname) : null;
  const known = archiveName === null ? null : await firstDigest(directory, archiveName);
  const expected = source.sha256 ?? known;
  const archive = await fetchArchive(settings, name, source, expected !== null, { signal, onProgress });
  const found = await digestOf(archive);
  const requireDigest = async (digest: string) => {
    if (found === digest.toLowerCase()) return;
    // A wrong download must not be continued by the next one.
    if ("url" in source && (await isOwn())) await deleteDownload(archive);
    const message = source.sha256
      ? `The archive's SHA-256 is ${found}; expected ${digest}.`
      : `The archive's SHA-256 is ${found}; expected ${digest}, as at the first download: pass another as --sha256 to accept it.`;
    throw new AppError("invalid", message);
  };
  if (expected !== null) await requireDigest(expected);
  const unpacked = async () => {
    await unpackInThread(settings.unpackWorker, archive, path.join(work, name), { signal, onProgress });
    onProgress({ stage: "verify", done: 0, total: null });
    const folder = await readVoiceFolder(work, name).catch(refuseFolder);
    await settings.tryOut(folder);
    return folder;
  };
  const read = await unpacked().catch(async (error: unknown) => {
    // A damaged archive must not be used by the next installation; a full disk says nothing about the archive.
    if (
      "url" in source &&
      isAppError(error) &&
      error.code !== "overloaded" &&
      !signal.aborted &&
      (await isOwn())
    )
      await deleteDownload(archive);
    throw error;
  });
  await recordFiles(path.join(work, name), found);
  if (signal.aborted || !(await isOwn())) throw cancelled();
  // Recorded before the voice is in place: without the record, the next download would be trusted.
  const first = archiveName === null ? found : await rememberDigest(directory, archiveName, found);
  // Another archive of this name may have been installed in the meantime.
  if (expected === null) await requireDigest(first);
  await rename(path.join(work, name), path.join(directory, name)).catch((error: unknown) => {
    throw /^(?:ENOTEMPTY|EEXIST)$/.test(systemCode(error)) ? alreadyExists(name) : error;
  });
  if ("url" in source) await deleteDownload(archive);
  return read.folder;
}

const alreadyExists = (name: string) =>
  new AppError("conflict", `The local voice '${name}' already exists; remove it first.`);

const cancelled = () => new AppError("caller_left", "The installation was cancelled.");

async function fetchArchive(
  { directory, client, clock }: InstallSettings,
  name: string,
  source: VoiceSource,
  isChecked: boolean,
  { signal, onProgress }: InstallOptions,
): Promise<string> {
  if ("file" in source) return source.file;
  const ending = ARCHIVE_ENDING.exec(new URL(source.url).pathname)?.[0];
  if (ending === undefined) throw new AppError("invalid", "The URL must end in .tar.bz2 or .tar.gz.");
  const file = path.join(directory, `.download-${name}${ending.toLowerCase()}`);
  await download(client, clock, {
    url: source.url,
    file,
    isChecked,
    signal,
    onProgress: (done, total) => onProgress({ stage: "download", done, total }),
  });
  return file;
}

function refuseFolder(error: unknown): never {
  if (!(error instanceof UnusableFile)) throw error;
  throw new AppError("invalid", `The archive contains no usable voice: ${error.file}: ${error.message}`);
}

/** Unpacks in a thread, because decompressing bzip2 blocks the event loop for tenths of a second. */
function unpackInThread(
  worker: URL,
  archive: string,
  directory: string,
  { signal, onProgress }: InstallOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(worker, { name: "unpack", workerData: { archive, directory } });
    const stop = () => settle(cancelled());
    const settle = (error: Error | null) => {
      signal.removeEventListener("abort", stop);
      void thread.terminate().then(() => (error === null ? resolve() : reject(error)));
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    thread.on("error", settle);
    thread.on("message", (message: UnpackMessage) => {
      if ("bytes" in message) onProgress({ stage: "unpack", done: message.bytes, total: null });
      else if ("done" in message) settle(null);
      else
        settle(
          message.isRefused
            ? new AppError("invalid", `The archive was rejected. ${message.error}`)
            : Object.assign(new Error(message.error), { code: message.code }),
        );
    });
  });
}
