/** The port to the neural voices of this machine: one model per folder of `<data>/voices`. */

/** Model families that the engine speaks. */
export type VoiceKind = "kokoro" | "kitten" | "matcha" | "vits";

export interface VoiceSpeaker {
  /** The name in the model's files. */
  name: string;
  /** BCP-47 tags that the speaker was made for; empty: those of the model. */
  languages: readonly string[];
  gender: "female" | "male" | "neutral";
}

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
export interface BrokenVoiceFolder {
  name: string;
  /** The file that is wrong, relative to the folder; empty: the folder itself. */
  file: string;
  reason: string;
}

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

/** An archive that can be installed. */
export interface CatalogueVoice {
  /** The folder's name, and the model's. */
  name: string;
  languages: readonly string[];
  quality: "low" | "medium" | "high";
  /** Size of the archive in megabytes, rounded; null: unknown. */
  sizeMb: number | null;
  /** SPDX name, or where the licence is. */
  licence: string;
  url: string;
  /** Of the archive, where the publisher gives one. */
  sha256: string | null;
}

/** An archive on the web or on this machine; `sha256` in hexadecimal is checked when given. */
export type VoiceSource = { url: string; sha256?: string | null } | { file: string; sha256?: string | null };

export interface InstallProgress {
  stage: "download" | "unpack" | "verify";
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

export interface VoiceTrial {
  /** Duration of the audio. */
  seconds: number;
  realTimeFactor: number;
}

export interface LocalVoices {
  /** What can be installed by name. */
  catalogue: readonly CatalogueVoice[];
  /** Throws AppError `conflict`, `invalid`, `upstream_*`, `caller_left`. */
  install(name: string, source: VoiceSource, options: InstallOptions): Promise<VoiceFolder>;
  /** Reads a model's files again and speaks a sentence. Throws AppError `not_found`, `invalid`, `upstream_error`. */
  verify(name: string): Promise<VoiceTrial>;
  /** Deletes a model's folder, broken or not. Throws AppError `not_found`. */
  remove(name: string): Promise<void>;
  /** Reads all folders; those that have not changed since the last time are not read again. */
  scan(): Promise<VoiceScan>;
  load(name: string): VoiceLoad;
}
