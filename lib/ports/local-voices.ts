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

export interface LocalVoices {
  /** Reads all folders; those that have not changed since the last time are not read again. */
  scan(): Promise<VoiceScan>;
  load(name: string): VoiceLoad;
}
