import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { MODEL_FOLDER } from "../../contracts/console/local-voices";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { InstallOptions, VoiceFolder, VoiceSource } from "../../ports/local-voices";
import type { Outbound } from "../outbound/create";
import { digestOf, download } from "./download";
import { UnusableFile } from "./onnx-metadata";
import { type ReadFolder, readVoiceFolder } from "./read-folder";
import type { UnpackMessage } from "./unpack.worker";

export interface InstallSettings {
  /** `<data>/voices`. */
  directory: string;
  /** The bundled unpack.worker.ts. */
  unpackWorker: URL;
  outbound: Outbound;
  clock: Clock;
  /** Speaks a sentence with a model before it is moved into place. Throws AppError. */
  tryOut(read: ReadFolder): Promise<void>;
}

/**
 * Installs an archive as `<data>/voices/<name>`: download, digest, unpack, check of the files, a spoken sentence, and
 * one rename. Throws AppError `conflict` (the folder exists), `invalid` (the archive or its model), `upstream_*`,
 * `caller_left`. A download that was interrupted is continued by the next one.
 */
export async function installVoice(
  settings: InstallSettings,
  name: string,
  source: VoiceSource,
  { signal, onProgress }: InstallOptions,
): Promise<VoiceFolder> {
  const { directory } = settings;
  if (!MODEL_FOLDER.test(name)) {
    throw new AppError(
      "invalid",
      `'${name.slice(0, 100)}' is not a name: letters, digits and ._- are accepted.`,
    );
  }
  const target = path.join(directory, name);
  if ((await stat(target).catch(() => null)) !== null) {
    throw new AppError("conflict", `The local voice '${name}' exists already; remove it first.`);
  }
  const work = path.join(directory, `.unpack-${randomUUID()}`);
  await mkdir(path.join(work, name), { recursive: true });
  try {
    const archive = await fetchArchive(settings, name, source, { signal, onProgress });
    await checkDigest(archive, source.sha256);
    await unpackInThread(settings.unpackWorker, archive, path.join(work, name), { signal, onProgress });
    onProgress({ stage: "verify", done: 0, total: null });
    const read = await readVoiceFolder(work, name).catch(refuseFolder);
    await settings.tryOut(read);
    if (signal.aborted) throw cancelled();
    await rename(path.join(work, name), target);
    if ("url" in source) await rm(archive, { force: true });
    return read.folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const cancelled = () => new AppError("caller_left", "The installation was cancelled.");

async function fetchArchive(
  { directory, outbound, clock }: InstallSettings,
  name: string,
  source: VoiceSource,
  { signal, onProgress }: InstallOptions,
): Promise<string> {
  if ("file" in source) return source.file;
  const ending = /\.(?:tar\.bz2|tbz2?|tar\.gz|tgz)$/i.exec(new URL(source.url).pathname)?.[0];
  if (ending === undefined) throw new AppError("invalid", "The URL must end in .tar.bz2 or .tar.gz.");
  const file = path.join(directory, `.download-${name}${ending.toLowerCase()}`);
  await download(outbound, clock, {
    url: source.url,
    file,
    signal,
    onProgress: (done, total) => onProgress({ stage: "download", done, total }),
  });
  return file;
}

async function checkDigest(archive: string, expected: string | null | undefined): Promise<void> {
  if (expected === null || expected === undefined) return;
  const found = await digestOf(archive);
  if (found === expected.toLowerCase()) return;
  // A wrong download must not be continued by the next one.
  if (path.basename(archive).startsWith(".download-")) await rm(archive, { force: true });
  throw new AppError("invalid", `The archive's SHA-256 is ${found}; expected ${expected}.`);
}

function refuseFolder(error: unknown): never {
  if (!(error instanceof UnusableFile)) throw error;
  throw new AppError("invalid", `The archive holds no usable voice: ${error.file}: ${error.message}`);
}

/** Decompressing bzip2 blocks for tenths of a second, so a thread does it. */
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
            ? new AppError("invalid", `The archive is refused. ${message.error}`)
            : new Error(message.error),
        );
    });
  });
}
