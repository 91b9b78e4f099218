import { z } from "zod";

/** Names of model folders: a model's name without path separators. */
export const MODEL_FOLDER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;
/** Size limit of a part of an uploaded archive: a part is held in memory until it is written. */
export const MAX_PART_BYTES = 4 * 1024 ** 2;

const Languages = z.array(z.string()).meta({ description: "BCP-47 tags; empty: its files do not say" });
const Sha256 = z.string().nullable();

const InstalledVoice = z.strictObject({
  /** Name of the folder and of the model. */
  name: z.string(),
  kind: z.enum(["kokoro", "kitten", "matcha", "vits"]),
  languages: Languages,
  sample_rate: z.int(),
  speakers: z.array(
    z.strictObject({
      /** Name in the model's files. */
      name: z.string(),
      /** Languages of the speaker; empty: those of the model. */
      languages: Languages,
      gender: z.enum(["female", "male", "neutral"]),
    }),
  ),
  size_bytes: z.int(),
  /** Computing time ÷ duration of the audio, measured; below 1 is faster than real time. Null: not measured yet. */
  real_time_factor: z.number().nullable(),
  is_loaded: z.boolean(),
  /** The engine's last failure since its last success; null: none. */
  failure: z.string().nullable(),
  /** Digest of the installed archive; null: the files were copied into the folder. */
  archive_sha256: Sha256,
  /**
   * The voice's channel, whose option `voices` is the mapping; null: none, because another model has the voice's name.
   */
  channel: z
    .strictObject({ id: z.string(), version: z.int(), voices: z.record(z.string(), z.string()) })
    .nullable(),
  /** The speaker for each of Gemini's and OpenAI's voice names. */
  mapping: z.array(
    z.strictObject({
      name: z.string(),
      /** Speaker without the operator's mapping. */
      standard: z.string(),
      /** Speaker with the operator's mapping; null: the mapping names no speaker of the model. */
      speaker: z.string().nullable(),
    }),
  ),
});
export type InstalledVoice = z.infer<typeof InstalledVoice>;

const AvailableVoice = z.strictObject({
  name: z.string(),
  languages: Languages,
  quality: z.enum(["low", "medium", "high"]),
  /** Size of the archive, rounded; null: unknown. */
  size_mb: z.number().nullable(),
  /** SPDX name, or the URL of the licence. */
  licence: z.string(),
  /** Host of the archive. */
  host: z.string(),
  /** The expected digest of a download: the publisher's, else that of the first download. */
  sha256: Sha256,
  sha256_from: z.enum(["publisher", "first_download"]).nullable(),
  /** Bytes of an interrupted download, which the next one continues. */
  partial_bytes: z.int(),
});
export type AvailableVoice = z.infer<typeof AvailableVoice>;

const VoiceInstallation = z.strictObject({
  name: z.string(),
  stage: z.enum(["download", "unpack", "verify"]),
  done_bytes: z.int(),
  /** Null: unknown. */
  total_bytes: z.int().nullable(),
  /** `interrupted`: its process ended. */
  state: z.enum(["running", "failed", "interrupted"]),
  error: z.string().nullable(),
});
export type VoiceInstallation = z.infer<typeof VoiceInstallation>;

export const LocalVoiceList = z.strictObject({
  /** False: PATCHBAY_VOICES=off; the lists are empty. */
  enabled: z.boolean(),
  /** True: the catalogue's archives come from PATCHBAY_VOICES_URL. */
  has_mirror: z.boolean(),
  installed: z.array(InstalledVoice),
  broken: z.array(
    z.strictObject({
      name: z.string(),
      /** The file that is wrong, relative to the folder; empty: the folder itself. */
      file: z.string(),
      reason: z.string(),
    }),
  ),
  catalogue: z.array(AvailableVoice),
  installations: z.array(VoiceInstallation),
});
export type LocalVoiceList = z.infer<typeof LocalVoiceList>;

/** `POST /api/voices`: a name of the catalogue. */
export const DownloadVoice = z.strictObject({
  name: z.string().regex(MODEL_FOLDER, "Must be the name of a model in the catalogue."),
});

const Bytes = z.coerce.number().int().min(0).max(MAX_ARCHIVE_BYTES);

/** `POST /api/voices/{name}/upload`: where a part of an archive belongs. */
export const UploadVoiceQuery = z.strictObject({
  /** Name of the archive. */
  file: z
    .string()
    .max(255)
    .regex(/\.(?:tar\.(?:bz2|gz)|tbz2?|tgz)$/, "Must end in .tar.bz2, .tbz, .tbz2, .tar.gz or .tgz."),
  offset: Bytes,
  total: Bytes,
});
export type UploadVoiceQuery = z.output<typeof UploadVoiceQuery>;

/** The last part starts the installation. */
export const UploadedPart = z.strictObject({ received_bytes: z.int(), is_complete: z.boolean() });
export type UploadedPart = z.infer<typeof UploadedPart>;

export const VoiceCheck = z.strictObject({
  /** Duration of a spoken sentence. */
  audio_ms: z.int(),
  real_time_factor: z.number(),
  /** True: every file is as recorded at installation. False: nothing was recorded. A changed file gives `invalid`. */
  is_unchanged: z.boolean(),
});
export type VoiceCheck = z.infer<typeof VoiceCheck>;
