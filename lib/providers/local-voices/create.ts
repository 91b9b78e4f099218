import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { VoiceTable } from "../../contracts/console/channel-options";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { CatalogueVoice, LocalVoices, VoiceTrial } from "../../ports/local-voices";
import { SPEECH_SAMPLE_RATE, type SpeechModel } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamClient } from "../outbound/create";
import { optionsReader } from "../upstream/channel-options";
import { NO_TABLE } from "../upstream-voices/voice-table";
import entries from "./catalogue.json";
import { toUnusable, VoiceFolders, type VoiceFoldersSettings } from "./folders";
import { installVoice, requireName } from "./install";
import { cancelJob, listJobs, sweepLeftovers } from "./jobs";
import { type ReadFolder, readVoiceFolder } from "./read-folder";
import { archiveDigest, checkFiles, deleteSpeed, firstDigests, readSpeed } from "./records";
import { partialDownloads, writePart } from "./upload";
import type { VoiceEngine } from "./voice-engine";
import type { ModelVoices } from "./voices";

/** The archives of sherpa-onnx's publisher. It gives no digests, so `sha256` is null; the sizes are rounded. */
const PUBLISHER = "https://github.com/k2-fsa/sherpa-onnx/releases/download/tts-models/";

const Entries = z.array(
  z.strictObject({
    name: z.string(),
    languages: z.array(z.string()),
    quality: z.enum(["low", "medium", "high"]),
    size_mb: z.number().nullable(),
    licence: z.string(),
    archive: z.string(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
  }),
);

/** The voices that can be installed by name, from the publisher or a mirror of its archives. */
function readCatalogue(mirror: string | null): readonly CatalogueVoice[] {
  const base = mirror === null ? PUBLISHER : `${mirror.replace(/\/$/, "")}/`;
  return Entries.parse(entries).map(({ size_mb: sizeMb, archive, ...rest }) => ({
    ...rest,
    sizeMb,
    url: `${base}${archive}`,
  }));
}

export interface LocalVoicesSettings extends VoiceFoldersSettings {
  /** The bundled unpack.worker.ts. */
  unpackWorker: URL;
  /** The guarded client for downloads. */
  client: UpstreamClient;
  /** Base URL of a mirror of the catalogue's archives; null: the publisher. */
  mirror: string | null;
}

export interface LocalVoicesProvider extends LocalVoices {
  /** The models as one channel serves them. */
  speech(channel: ChannelRecord): SpeechModel;
  /** Only tests read it, to see leaks; null while the voice's engine is not running. */
  stats(name: string): ReturnType<VoiceEngine["stats"]> | null;
  close(): Promise<void>;
}

/** The options of a local voice's channel: `voices` maps callers' names to speakers, `*` any other name. */
export const VOICE_OPTIONS = optionsReader(z.object({ voices: VoiceTable.optional() }));

/**
 * The neural voices of this machine: each folder below `directory` is a model, spoken by sherpa-onnx in a process of
 * its own that starts with the first call and ends when idle. A folder that cannot be used does not affect the others.
 */
export function createLocalVoices(settings: LocalVoicesSettings): LocalVoicesProvider {
  const { directory, clock, mirror, client } = settings;
  const folders = new VoiceFolders(settings);

  const status: LocalVoices["status"] = (name) =>
    folders.runningEngine(name)?.status() ?? { isLoaded: false, realTimeFactor: null, failure: null };

  /** Speaks a sentence with a new engine, even if the model is in use. Throws `invalid` when it makes no sound. */
  async function tryOut(read: ReadFolder): Promise<VoiceTrial> {
    const engine = folders.openEngine(read, null);
    try {
      const seconds = await speakSentence(engine, folders.voicesOf(read, NO_TABLE), read, clock);
      const { realTimeFactor } = engine.status();
      if (seconds > 0 && realTimeFactor !== null) return { seconds, realTimeFactor };
      throw new AppError("invalid", "The model produced no audio.");
    } finally {
      await engine.close();
    }
  }

  return {
    catalogue: readCatalogue(mirror),
    hasMirror: mirror !== null,
    scan: () => folders.scan(),
    status,
    stats: (name) => folders.runningEngine(name)?.stats() ?? null,

    speech(channel) {
      const tableOf = () => VOICE_OPTIONS.of(channel).voices ?? NO_TABLE;
      return {
        async *synthesize(request, options) {
          const { read, engine } = await folders.modelOf(request.model);
          yield* engine.speak(request, options, folders.voicesOf(read, tableOf()));
        },
        voices: async (model) => folders.voicesOf((await folders.modelOf(model)).read, tableOf()).voices,
        supportedFields: () => ["languageCode"],
      };
    },

    async mapping(name, table) {
      const { read } = await folders.modelOf(name);
      const chosen = folders.voicesOf(read, table);
      const standard = folders.voicesOf(read, NO_TABLE).mapping();
      return standard.map(({ name: asked, speaker }) => {
        const number = chosen.speakerOf(asked);
        return {
          name: asked,
          standard: speaker,
          speaker: number === null ? null : (read.folder.speakers[number]?.name ?? null),
        };
      });
    },

    async records() {
      const [jobs, partial, digests] = await Promise.all([
        listJobs(directory, clock.now()),
        partialDownloads(directory),
        firstDigests(directory),
      ]);
      return { jobs, partial, digests };
    },

    async facts(name) {
      const [kept, archiveSha256] = await Promise.all([
        readSpeed(directory, name),
        archiveDigest(path.join(directory, name)),
      ]);
      return { realTimeFactor: status(name).realTimeFactor ?? kept, archiveSha256 };
    },

    receive: async (name, part) => writePart(directory, requireName(name), part),

    async install(name, source, options) {
      const folder = await installVoice({ ...settings, tryOut }, name, source, options);
      await folders.scan();
      return folder;
    },

    cancel: (name) => cancelJob(directory, name, clock),

    async verify(name) {
      await folders.require(name);
      const read = await readVoiceFolder(directory, name).catch((error: unknown) => {
        const { file, message } = toUnusable(error);
        throw new AppError("invalid", `${file === "" ? name : file}: ${message}`);
      });
      const isUnchanged = await checkFiles(path.join(directory, name));
      return { ...(await tryOut(read)), isUnchanged };
    },

    async remove(name) {
      await folders.require(name);
      // Renamed in one step, so that no call finds a partly deleted folder.
      const gone = path.join(directory, `.removed-${randomUUID()}`);
      await rename(path.join(directory, name), gone);
      await deleteSpeed(directory, name);
      await folders.scan();
      await rm(gone, { recursive: true, force: true });
    },

    sweep: () => sweepLeftovers(directory, clock.now()),

    async close() {
      await folders.close();
      await client.close();
    },
  };
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
