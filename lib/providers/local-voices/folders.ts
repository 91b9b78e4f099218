import { readdir, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { MODEL_FOLDER } from "../../contracts/console/local-voices";
import { AppError, isOutOfFiles, systemCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { VoiceFolder, VoiceScan } from "../../ports/local-voices";
import type { VoiceTable } from "../upstream-voices/voice-table";
import { UnusableFile } from "./onnx-metadata";
import { type ReadFolder, readVoiceFolder } from "./read-folder";
import { readSpeed, writeSpeed } from "./records";
import { VoiceEngine } from "./voice-engine";
import { type ModelVoices, modelVoices } from "./voices";

/** Time without a call after which a model is unloaded: loading takes a second or two. */
const IDLE_MS = 120_000;

export interface VoiceFoldersSettings {
  /** `<data>/voices`; need not exist. */
  directory: string;
  /** The bundled voice.worker.ts. */
  workerFile: URL;
  clock: Clock;
  /** The longest call, in milliseconds; read at every call. */
  callMs(): number;
  /** Default: 2 minutes. */
  idleMs?: number;
}

interface Known {
  /** Names, sizes and times of the files. */
  fingerprint: string;
  read: ReadFolder | UnusableFile;
  engine: VoiceEngine | null;
}

/** The model folders of a directory, each with its engine once it was used. */
export class VoiceFolders {
  readonly #known = new Map<string, Known>();
  readonly #voices = new WeakMap<VoiceFolder, WeakMap<VoiceTable, ModelVoices>>();
  #scanning: Promise<VoiceScan> | null = null;

  constructor(private readonly settings: VoiceFoldersSettings) {}

  /** Reads the folders that changed since the last scan; concurrent calls share one scan. */
  scan(): Promise<VoiceScan> {
    this.#scanning ??= this.#scanFolders().finally(() => {
      this.#scanning = null;
    });
    return this.#scanning;
  }

  /** The engine of a model that was used since its files changed; null: none. */
  runningEngine(name: string): VoiceEngine | null {
    return this.#known.get(name)?.engine ?? null;
  }

  /** The model of a channel. Throws `upstream_error` when its folder cannot be used. */
  async modelOf(name: string): Promise<{ read: ReadFolder; engine: VoiceEngine }> {
    if (!this.#known.has(name)) {
      await this.scan().catch((error: unknown) => {
        const message = "The directory of the local voices cannot be read.";
        throw new AppError("upstream_error", message, { isUnknownModel: true }, error);
      });
    }
    const one = this.#known.get(name);
    if (one === undefined) {
      throw new AppError("upstream_error", "The local voice is not on this machine.", {
        isUnknownModel: true,
      });
    }
    if (one.read instanceof UnusableFile) {
      throw new AppError("upstream_error", "The files of the local voice cannot be used.", {}, one.read);
    }
    const speed = one.engine === null ? await readSpeed(this.settings.directory, name) : null;
    // A scan may have replaced the record in the meantime; nothing would close the engine of the old one.
    if (this.#known.get(name) !== one) return this.modelOf(name);
    one.engine ??= this.openEngine(one.read, speed);
    return { read: one.read, engine: one.engine };
  }

  /** A new engine, which its caller closes. `speed`: the real-time factor measured before; null: none. */
  openEngine(read: ReadFolder, speed: number | null): VoiceEngine {
    const { directory, workerFile, clock, callMs, idleMs = IDLE_MS } = this.settings;
    return new VoiceEngine({
      ...read,
      speed,
      onMeasured: (factor) => void writeSpeed(directory, read.folder.name, factor),
      workerFile,
      clock,
      callMs,
      idleMs,
      threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
    });
  }

  /** The voices of a model under a channel's table of names. */
  voicesOf({ folder }: ReadFolder, table: VoiceTable): ModelVoices {
    const byTable = this.#voices.get(folder) ?? new WeakMap<VoiceTable, ModelVoices>();
    this.#voices.set(folder, byTable);
    const voices = byTable.get(table) ?? modelVoices(folder.speakers, folder.languages, table);
    byTable.set(table, voices);
    return voices;
  }

  /** Throws `not_found`. */
  async require(name: string): Promise<void> {
    if ((await foldersIn(this.settings.directory)).includes(name)) return;
    throw new AppError("not_found", `Local voice '${name.slice(0, 100)}' not found.`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ engine }) => engine?.close()));
    this.#known.clear();
  }

  async #scanFolders(): Promise<VoiceScan> {
    const names = await foldersIn(this.settings.directory);
    for (const [name, { engine }] of this.#known) {
      if (names.includes(name)) continue;
      await engine?.close();
      this.#known.delete(name);
    }
    for (const name of names) await this.#refresh(name);
    const found = [...this.#known].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      ready: found.flatMap(([, { read }]) => (read instanceof UnusableFile ? [] : [read.folder])),
      broken: found.flatMap(([name, { read }]) =>
        read instanceof UnusableFile ? [{ name, file: read.file, reason: read.message }] : [],
      ),
    };
  }

  async #refresh(name: string): Promise<void> {
    const { directory } = this.settings;
    const fingerprint = await fingerprintOf(path.join(directory, name));
    const before = this.#known.get(name);
    if (before?.fingerprint === fingerprint) return;
    const read = await readVoiceFolder(directory, name).catch((error: unknown) => toUnusable(error));
    await before?.engine?.close();
    this.#known.set(name, { fingerprint, read, engine: null });
  }
}

/** Why a folder cannot be read, the file system's errors included. Throws when no file descriptor was left. */
export function toUnusable(error: unknown): UnusableFile {
  if (error instanceof UnusableFile) return error;
  if (isOutOfFiles(error)) throw error;
  // The file system's error: no permission, a disk that fails.
  return new UnusableFile("", error instanceof Error ? error.message : String(error));
}

/**
 * Folders with names that a model may have; those that begin with a dot are being unpacked. Throws when the directory
 * exists but cannot be read, which does not mean that its voices were removed.
 */
async function foldersIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (/^ENO(?:ENT|TDIR)$/.test(systemCode(error))) return [];
    throw error;
  });
  const kept: string[] = [];
  for (const name of names.sort()) {
    if (!MODEL_FOLDER.test(name)) continue;
    const found = await stat(path.join(directory, name)).catch(() => null);
    if (found?.isDirectory() === true) kept.push(name);
  }
  return kept;
}

/** Throws when no file descriptor was left, which says nothing about the folder. */
async function fingerprintOf(directory: string): Promise<string> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isOutOfFiles(error)) throw error;
    return [];
  });
  const facts = await Promise.all(
    names.sort().map(async (name) => {
      const found = await stat(path.join(directory, name)).catch(() => null);
      return `${name} ${found?.size} ${found?.mtimeMs} ${found?.ino}`;
    }),
  );
  return facts.join("\n");
}
