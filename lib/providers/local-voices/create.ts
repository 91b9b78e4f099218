import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { z } from "zod";
import { VoiceTable } from "../../contracts/console/channel-options";
import { MODEL_FOLDER } from "../../contracts/console/local-voices";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { LocalVoices, VoiceFolder, VoiceScan, VoiceTrial } from "../../ports/local-voices";
import { SPEECH_SAMPLE_RATE, type SpeechModel } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { Outbound } from "../outbound/create";
import { optionsReader } from "../upstream/channel-options";
import { NO_TABLE } from "../upstream-voices/voice-table";
import { readCatalogue } from "./catalogue";
import { installVoice } from "./install";
import { cancelJob, listJobs, sweepLeftovers } from "./jobs";
import { UnusableFile } from "./onnx-metadata";
import { type ReadFolder, readVoiceFolder } from "./read-folder";
import { archiveDigest, checkFiles, deleteSpeed, firstDigests, readSpeed, writeSpeed } from "./records";
import { partialDownloads, writePart } from "./upload";
import { createVoiceEngine, type VoiceEngine } from "./voice-engine";
import { type ModelVoices, modelVoices } from "./voices";

export interface LocalVoicesSettings {
  /** `<data>/voices`; need not exist. */
  directory: string;
  /** The bundled voice.worker.ts. */
  workerFile: URL;
  /** The bundled unpack.worker.ts. */
  unpackWorker: URL;
  /** The guarded client for downloads. */
  outbound: Outbound;
  /** Base URL of a mirror of the catalogue's archives; null: the publisher. */
  mirror: string | null;
  clock: Clock;
  /** The longest call, in milliseconds; read at every call. */
  callMs(): number;
  /** Default: 2 minutes. */
  idleMs?: number;
}

export interface LocalVoicesProvider extends LocalVoices {
  /** The models as one channel serves them. */
  speech(channel: ChannelRecord): SpeechModel;
  stats(name: string): ReturnType<VoiceEngine["stats"]> | null;
  close(): Promise<void>;
}

/** Time without a call after which a model is unloaded: loading takes a second or two. */
const IDLE_MS = 120_000;

const OPTIONS = { voices: VoiceTable.optional() };
/** The options of a local voice's channel: `voices` maps callers' names to speakers, `*` any other name. */
export const VOICE_OPTIONS = optionsReader(z.strictObject(OPTIONS), z.object(OPTIONS));

interface Known {
  /** Names, sizes and times of the files. */
  fingerprint: string;
  read: ReadFolder | UnusableFile;
  engine: VoiceEngine | null;
}

/**
 * The neural voices of this machine: each folder below `directory` is a model, spoken by sherpa-onnx in a process of its
 * own that starts with the first call and ends when idle. A folder that cannot be used does not affect the others.
 */
export function createLocalVoices(settings: LocalVoicesSettings): LocalVoicesProvider {
  const known = new Map<string, Known>();
  const tables = new WeakMap<VoiceFolder, WeakMap<Readonly<Record<string, string>>, ModelVoices>>();
  let scanning: Promise<VoiceScan> | null = null;

  const engineOf = (read: ReadFolder, speed: number | null): VoiceEngine =>
    createVoiceEngine({
      ...read,
      speed,
      onMeasured: (factor) => void writeSpeed(settings.directory, read.folder.name, factor),
      workerFile: settings.workerFile,
      clock: settings.clock,
      callMs: settings.callMs,
      idleMs: settings.idleMs ?? IDLE_MS,
      threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
    });

  async function refresh(name: string): Promise<void> {
    const fingerprint = await fingerprintOf(path.join(settings.directory, name));
    const before = known.get(name);
    if (before?.fingerprint === fingerprint) return;
    await before?.engine?.close();
    const read = await readVoiceFolder(settings.directory, name).catch((error: unknown) => toUnusable(error));
    known.set(name, { fingerprint, read, engine: null });
  }

  async function scanFolders(): Promise<VoiceScan> {
    const names = await foldersIn(settings.directory);
    for (const name of known.keys()) {
      if (names.includes(name)) continue;
      await known.get(name)?.engine?.close();
      known.delete(name);
    }
    for (const name of names) await refresh(name);
    const found = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      ready: found.flatMap(([, { read }]) => (read instanceof UnusableFile ? [] : [read.folder])),
      broken: found.flatMap(([name, { read }]) =>
        read instanceof UnusableFile ? [{ name, file: read.file, reason: read.message }] : [],
      ),
    };
  }

  const scan = (): Promise<VoiceScan> => {
    scanning ??= scanFolders().finally(() => {
      scanning = null;
    });
    return scanning;
  };

  /** The model of a channel. Throws `upstream_error` when its folder cannot be used. */
  async function modelOf(name: string): Promise<{ read: ReadFolder; engine: VoiceEngine }> {
    if (!known.has(name)) await scan();
    const one = known.get(name);
    if (one === undefined) {
      throw new AppError("upstream_error", "The local voice is not on this machine.", {
        isUnknownModel: true,
      });
    }
    if (one.read instanceof UnusableFile) {
      throw new AppError("upstream_error", "The files of the local voice cannot be used.", {}, one.read);
    }
    const speed = one.engine === null ? await readSpeed(settings.directory, name) : null;
    one.engine ??= engineOf(one.read, speed);
    return { read: one.read, engine: one.engine };
  }

  function voicesOf({ folder }: ReadFolder, table: Readonly<Record<string, string>>): ModelVoices {
    const byTable = tables.get(folder) ?? new WeakMap<Readonly<Record<string, string>>, ModelVoices>();
    tables.set(folder, byTable);
    const voices = byTable.get(table) ?? modelVoices(folder.speakers, folder.languages, table);
    byTable.set(table, voices);
    return voices;
  }

  const tableOf = (channel: ChannelRecord) => VOICE_OPTIONS.of(channel).voices ?? NO_TABLE;

  /** Speaks a sentence with a model that is not in use. */
  async function tryOut(read: ReadFolder): Promise<VoiceTrial> {
    const engine = engineOf(read, null);
    try {
      const seconds = await speakSentence(engine, voicesOf(read, NO_TABLE), read, settings.clock);
      const { realTimeFactor } = engine.load();
      if (seconds > 0 && realTimeFactor !== null) return { seconds, realTimeFactor };
      throw new AppError("invalid", "The model makes no sound.");
    } finally {
      await engine.close();
    }
  }

  const requireFolder = async (name: string): Promise<void> => {
    if ((await foldersIn(settings.directory)).includes(name)) return;
    throw new AppError("not_found", `There is no local voice '${name.slice(0, 100)}'.`);
  };

  const { directory, clock } = settings;
  return {
    catalogue: readCatalogue(settings.mirror),
    hasMirror: settings.mirror !== null,
    cancel: (name) => cancelJob(directory, name, clock),
    receive: (name, part) => writePart(directory, requireName(name), part),
    async records() {
      const [jobs, partial, digests] = await Promise.all([
        listJobs(directory, clock.now()),
        partialDownloads(directory),
        firstDigests(directory),
      ]);
      return { jobs, partial, digests };
    },
    async facts(name) {
      const measured = known.get(name)?.engine?.load().realTimeFactor ?? null;
      const [kept, archiveSha256] = await Promise.all([
        readSpeed(directory, name),
        archiveDigest(path.join(directory, name)),
      ]);
      return { realTimeFactor: measured ?? kept, archiveSha256 };
    },
    async mapping(name, table) {
      const { read } = await modelOf(name);
      const standard = voicesOf(read, NO_TABLE).mapping();
      const chosen = voicesOf(read, table);
      return standard.map(({ name: asked, speaker }) => {
        const number = chosen.speakerOf(asked);
        return {
          name: asked,
          standard: speaker,
          speaker: number === null ? null : (read.folder.speakers[number]?.name ?? null),
        };
      });
    },
    sweep: () => sweepLeftovers(directory, clock.now()),
    install: async (name, source, options) => {
      const folder = await installVoice(
        { ...settings, tryOut: (read) => tryOut(read).then(() => {}) },
        name,
        source,
        options,
      );
      await scan();
      return folder;
    },
    verify: async (name) => {
      await requireFolder(name);
      const read = await readVoiceFolder(settings.directory, name).catch((error: unknown) => {
        const { file, message } = toUnusable(error);
        throw new AppError("invalid", `${file === "" ? name : file}: ${message}`);
      });
      const isUnchanged = await checkFiles(path.join(directory, name));
      return { ...(await tryOut(read)), isUnchanged };
    },
    remove: async (name) => {
      await requireFolder(name);
      // Out of sight in one step, so that no call finds half a folder.
      const gone = path.join(directory, `.removed-${randomUUID()}`);
      await rename(path.join(directory, name), gone);
      await deleteSpeed(directory, name);
      await scan();
      await rm(gone, { recursive: true, force: true });
    },
    scan,
    load: (name) =>
      known.get(name)?.engine?.load() ?? { isLoaded: false, realTimeFactor: null, failure: null },
    stats: (name) => known.get(name)?.engine?.stats() ?? null,
    speech: (channel) => ({
      async *synthesize(request, options) {
        const { read, engine } = await modelOf(request.model);
        yield* engine.speak(request, options, voicesOf(read, tableOf(channel)));
      },
      voices: async (model) => voicesOf((await modelOf(model)).read, tableOf(channel)).voices,
      carries: () => ["languageCode"],
    }),
    async close() {
      await Promise.all([...known.values()].map(({ engine }) => engine?.close()));
      await settings.outbound.close();
      known.clear();
    },
  };
}

function requireName(name: string): string {
  if (MODEL_FOLDER.test(name)) return name;
  throw new AppError(
    "invalid",
    `'${name.slice(0, 100)}' is not a name: letters, digits and ._- are accepted.`,
  );
}

const SENTENCE = "One, two, three, four, five.";
const TRIAL_MS = 60_000;

/** Speaks a sentence; returns its duration in seconds. */
async function speakSentence(
  engine: VoiceEngine,
  voices: ModelVoices,
  { folder }: ReadFolder,
  clock: Clock,
): Promise<number> {
  const request = {
    model: folder.name,
    segments: [{ text: SENTENCE, voice: folder.speakers[0]?.name ?? "" }],
    speed: 1,
  };
  const options = {
    signal: AbortSignal.timeout(TRIAL_MS),
    requestId: "trial",
    firstByteBy: clock.monotonic() + TRIAL_MS,
  };
  let bytes = 0;
  for await (const event of engine.speak(request, options, voices))
    if (event.type === "audio") bytes += event.pcm.length;
  return bytes / 2 / SPEECH_SAMPLE_RATE;
}

function toUnusable(error: unknown): UnusableFile {
  if (error instanceof UnusableFile) return error;
  // The file system's error: no permission, a disk that fails.
  return new UnusableFile("", error instanceof Error ? error.message : String(error));
}

/** Folders with names that a model may have; those that begin with a dot are being unpacked. */
async function foldersIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const kept: string[] = [];
  for (const name of names.sort()) {
    if (!MODEL_FOLDER.test(name)) continue;
    const found = await stat(path.join(directory, name)).catch(() => null);
    if (found?.isDirectory() === true) kept.push(name);
  }
  return kept;
}

async function fingerprintOf(directory: string): Promise<string> {
  const names = await readdir(directory).catch(() => []);
  const facts = await Promise.all(
    names.sort().map(async (name) => {
      const found = await stat(path.join(directory, name)).catch(() => null);
      return `${name} ${found?.size} ${found?.mtimeMs} ${found?.ino}`;
    }),
  );
  return facts.join("\n");
}
