import type {
  AvailableVoice,
  InstalledVoice,
  LocalVoiceList,
  VoiceInstallation,
} from "../contracts/console/local-voices";

/** The port to the neural voices of this machine: one model per folder of `<data>/voices`. */

/** Model families that the engine supports. */
export type VoiceKind = InstalledVoice["kind"];

export type VoiceSpeaker = InstalledVoice["speakers"][number];

/** A model folder whose files are complete. */
export interface VoiceFolder {
  /** The folder's name, which is also the model's. */
  name: string;
  kind: VoiceKind;
  /** BCP-47 tags; empty: unknown. */
  languages: readonly string[];
  /** The model's own rate in hertz; replies are resampled. */
  sampleRate: number;
  /** Ordered by the engine's speaker number. Never empty. */
  speakers: readonly VoiceSpeaker[];
  /** Size of all its files. */
  bytes: number;
}

/** A model folder that cannot be used. */
export type BrokenVoiceFolder = LocalVoiceList["broken"][number];

export interface VoiceScan {
  ready: readonly VoiceFolder[];
  broken: readonly BrokenVoiceFolder[];
}

/** State of the engine of one model. */
export interface VoiceStatus {
  isLoaded: boolean;
  /** Computing time ÷ duration of the audio: below 1 is faster than real time. Null: not measured yet. */
  realTimeFactor: number | null;
  /** The engine's last failure since its last success; null: none. */
  failure: string | null;
}

/** The speaker for a voice name that callers send. */
export type VoiceMapping = InstalledVoice["mapping"][number];

/** An archive that can be installed. */
export interface CatalogueVoice {
  /** The folder's name, and the model's. */
  name: string;
  languages: readonly string[];
  quality: AvailableVoice["quality"];
  /** Size of the archive in megabytes, rounded; null: unknown. */
  sizeMb: number | null;
  /** SPDX name, or the URL of the licence. */
  licence: string;
  url: string;
  /** Digest of the archive; null: the publisher gives none. */
  sha256: string | null;
}

/** An archive on the web or on this machine; `sha256` in hexadecimal is checked when given. */
export type VoiceSource =
  | { url: string; sha256?: string | null }
  /** `isTemporary`: the file is deleted after the installation, unless another process took its job over. */
  | { file: string; sha256?: string | null; isTemporary?: boolean };

export interface InstallProgress {
  stage: VoiceInstallation["stage"];
  /** Bytes. */
  done: number;
  /** Null: unknown. */
  total: number | null;
}

export interface InstallOptions {
  /** Cancels the installation; a download can be continued later. */
  signal: AbortSignal;
  onProgress(progress: InstallProgress): void;
}

/** A running installation, or one that failed or was interrupted. */
export interface VoiceJob extends InstallProgress {
  name: string;
  /** `interrupted`: its process ended. */
  state: VoiceInstallation["state"];
  /** Why it failed. */
  error: string | null;
}

/** One part of an archive that is uploaded. */
export interface UploadPart {
  /** File name of the archive; its extension gives the format. */
  file: string;
  /** Bytes before this part. */
  offset: number;
  /** Bytes of the whole archive. */
  total: number;
  bytes: Uint8Array;
}

/** Stored records of installations, downloads and archives. */
export interface VoiceRecords {
  jobs: readonly VoiceJob[];
  /** Bytes of interrupted downloads, by voice. */
  partial: ReadonlyMap<string, number>;
  /** SHA-256 of the archives downloaded before, by file name. */
  digests: Readonly<Record<string, string>>;
}

/** Stored facts about one model. */
export interface InstalledFacts {
  /** Measured by any process, before or since the start; null: never. */
  realTimeFactor: number | null;
  /** SHA-256 of the archive; null: the files were copied into the folder. */
  archiveSha256: string | null;
}

/** The result of speaking a test sentence. */
export interface VoiceTrial {
  /** Duration of the audio. */
  seconds: number;
  realTimeFactor: number;
}

export interface VoiceCheck extends VoiceTrial {
  /** True when every file is as recorded at installation; false: nothing was recorded. */
  isUnchanged: boolean;
}

export interface LocalVoices {
  /** Voices that can be installed by name. */
  catalogue: readonly CatalogueVoice[];
  /** True when the catalogue's archives come from the operator's mirror. */
  hasMirror: boolean;
  /** Throws AppError `conflict`, `invalid`, `upstream_*`, `caller_left`. */
  install(name: string, source: VoiceSource, options: InstallOptions): Promise<VoiceFolder>;
  /** Stops an installation, in any process, or removes the record of one that ended. Throws AppError `not_found`. */
  cancel(name: string): Promise<void>;
  /**
   * Writes a part of an uploaded archive; returns the bytes received so far, and the file. Throws `invalid`,
   * `conflict`.
   */
  receive(name: string, part: UploadPart): Promise<{ received: number; archive: string }>;
  records(): Promise<VoiceRecords>;
  facts(name: string): Promise<InstalledFacts>;
  /**
   * The speaker for each of Gemini's and OpenAI's voice names, without and with the operator's table. Throws
   * `upstream_error`.
   */
  mapping(name: string, table: Readonly<Record<string, string>>): Promise<VoiceMapping[]>;
  /** Deletes leftover files of installations whose process ended. */
  sweep(): Promise<void>;
  /**
   * Compares a model's files with the recorded ones and speaks a sentence. Throws AppError `not_found`, `invalid`,
   * `upstream_error`.
   */
  verify(name: string): Promise<VoiceCheck>;
  /** Deletes a model's folder, broken or not. Throws AppError `not_found`. */
  remove(name: string): Promise<void>;
  /** Reads all folders; those that have not changed since the last time are not read again. */
  scan(): Promise<VoiceScan>;
  status(name: string): VoiceStatus;
}
