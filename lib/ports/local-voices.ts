import type {
  AvailableVoice,
  InstalledVoice,
  LocalVoiceList,
  VoiceInstallation,
} from "../contracts/console/local-voices";

/** The port to the neural voices of this machine: one model per folder of `<data>/voices`. */

/** Model families that the engine speaks. */
export type VoiceKind = InstalledVoice["kind"];

export type VoiceSpeaker = InstalledVoice["speakers"][number];

/** A model folder whose files are complete. */
export interface VoiceFolder {
  /** The folder's name, which is also the model's. */
  name: string;
  kind: VoiceKind;
  /** BCP-47 tags; empty: its files do not say. */
  languages: readonly string[];
  /** The model's own rate in hertz; replies are resampled. */
  sampleRate: number;
  /** In the order of the engine's numbers. Never empty. */
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

/** What the engine has measured of one model. */
export interface VoiceLoad {
  isLoaded: boolean;
  /** Computing time ÷ duration of the audio: below 1 is faster than real time. Null: not measured yet. */
  realTimeFactor: number | null;
  /** The last failure of the engine since it last spoke. */
  failure: string | null;
}

/** The speaker of a name that callers send. */
export type VoiceMapping = InstalledVoice["mapping"][number];

/** An archive that can be installed. */
export interface CatalogueVoice {
  /** The folder's name, and the model's. */
  name: string;
  languages: readonly string[];
  quality: AvailableVoice["quality"];
  /** Size of the archive in megabytes, rounded; null: unknown. */
  sizeMb: number | null;
  /** SPDX name, or where the licence is. */
  licence: string;
  url: string;
  /** Of the archive, where the publisher gives one. */
  sha256: string | null;
}

/** An archive on the web or on this machine; `sha256` in hexadecimal is checked when given. */
export type VoiceSource =
  | { url: string; sha256?: string | null }
  /** `isOurs`: deleted afterwards. */
  | { file: string; sha256?: string | null; isOurs?: boolean };

export interface InstallProgress {
  stage: VoiceInstallation["stage"];
  /** Bytes. */
  done: number;
  /** Null: unknown. */
  total: number | null;
}

export interface InstallOptions {
  /** Cancels; a download can be continued later. */
  signal: AbortSignal;
  onProgress(progress: InstallProgress): void;
}

/** An installation that runs, or ended without its voice. */
export interface VoiceJob extends InstallProgress {
  name: string;
  /** `interrupted`: its process ended. */
  state: VoiceInstallation["state"];
  /** Why it failed. */
  error: string | null;
}

/** One part of an archive that is uploaded. */
export interface UploadPart {
  /** Name of the archive, for its ending. */
  file: string;
  /** Bytes before this part. */
  offset: number;
  /** Bytes of the whole archive. */
  total: number;
  bytes: Uint8Array;
}

/** What is remembered of voices and archives. */
export interface VoiceRecords {
  jobs: readonly VoiceJob[];
  /** Bytes of interrupted downloads, by voice. */
  partial: ReadonlyMap<string, number>;
  /** SHA-256 of the archives downloaded before, by file name. */
  digests: Readonly<Record<string, string>>;
}

/** What was recorded of one model. */
export interface InstalledFacts {
  /** Measured by any process, before or since the start; null: never. */
  realTimeFactor: number | null;
  /** SHA-256 of the archive; null: the files were copied into the folder. */
  archiveSha256: string | null;
}

export interface VoiceTrial {
  /** Duration of the audio. */
  seconds: number;
  realTimeFactor: number;
}

export interface VoiceCheck extends VoiceTrial {
  /** True when every file is as it was installed; false: nothing was recorded then. */
  isUnchanged: boolean;
}

export interface LocalVoices {
  /** What can be installed by name. */
  catalogue: readonly CatalogueVoice[];
  /** True when the catalogue's archives come from the operator's mirror. */
  hasMirror: boolean;
  /** Throws AppError `conflict`, `invalid`, `upstream_*`, `caller_left`. */
  install(name: string, source: VoiceSource, options: InstallOptions): Promise<VoiceFolder>;
  /** Stops an installation, in whichever process it runs, or forgets one that ended. Throws AppError `not_found`. */
  cancel(name: string): Promise<void>;
  /** Writes a part of an uploaded archive; returns the bytes that are there, and the file. Throws `invalid`, `conflict`. */
  receive(name: string, part: UploadPart): Promise<{ received: number; archive: string }>;
  records(): Promise<VoiceRecords>;
  facts(name: string): Promise<InstalledFacts>;
  /** The speaker for each name of Gemini's and OpenAI's, without and with the operator's table. Throws `upstream_error`. */
  mapping(name: string, table: Readonly<Record<string, string>>): Promise<VoiceMapping[]>;
  /** Deletes what installations left that ended with their process. */
  sweep(): Promise<void>;
  /**
   * Compares a model's files with those installed and speaks a sentence. Throws AppError `not_found`, `invalid`,
   * `upstream_error`.
   */
  verify(name: string): Promise<VoiceCheck>;
  /** Deletes a model's folder, broken or not. Throws AppError `not_found`. */
  remove(name: string): Promise<void>;
  /** Reads all folders; those that have not changed since the last time are not read again. */
  scan(): Promise<VoiceScan>;
  load(name: string): VoiceLoad;
}
