import type { UpstreamProgress } from "./upstream-progress";

/** The seam every text-to-speech engine and upstream implements (one folder of lib/providers each). */

/** Words spoken by one voice without a break. `text` is never empty. */
export interface SpeechSegment {
  text: string;
  /** A voice name of the public model, in its canonical case. */
  voice: string;
  /** The speaker's name in a conversation. */
  speaker?: string;
  /** Free words on manner ("whispered"); engines that cannot follow them ignore them. */
  style?: string;
}

export interface SpeechRequest {
  /** The upstream's own model name. */
  model: string;
  segments: SpeechSegment[];
  /** BCP-47; absent: detected from the text. */
  language?: string;
  /** 1 is natural; 0.25–4. */
  speed: number;
  instructions?: string;
  /** What the caller sent, for an upstream that speaks the same dialect and takes unknown fields untouched. */
  source?: { dialect: "gemini" | "openai"; body: Readonly<Record<string, unknown>> };
}

/** What a provider needs of one call besides its request. */
export interface CallOptions {
  /** Aborted when the caller leaves or the deadline passes; the provider stops its work at once. */
  signal: AbortSignal;
  requestId: string;
  /** Monotonic milliseconds by which the first byte must be there. */
  firstByteBy: number;
  /** Of the attempt; absent where nobody asks for it. Handed on unchanged to every upstream call of the attempt. */
  progress?: UpstreamProgress;
}

export interface SpeechUsage {
  /** Tokens the upstream counted; null when it tells none. */
  inputTokens: number | null;
  outputTokens: number | null;
}

/**
 * `audio` carries whole 24 kHz mono s16le samples (an even number of bytes, never empty) in order;
 * exactly one `end` closes a good stream. A stream that throws or stops without `end` was cut.
 */
export type SpeechEvent =
  | { type: "audio"; pcm: Uint8Array }
  | { type: "end"; usage: SpeechUsage; finishReason: string };

export interface Voice {
  /** The name a caller sends. */
  name: string;
  /** Other names it goes by at its upstream, such as its ID; taken in place of the name, not listed. */
  aliases?: readonly string[];
  /** BCP-47 tags this voice was made for; empty when it speaks all of the model's. */
  languages: string[];
  gender: "female" | "male" | "neutral";
  /** A few words: "bright", "gravelly". */
  description: string;
  /** Which catalogue the name comes from. */
  family: "gemini" | "openai" | "engine";
}

export interface SpeechModel {
  /**
   * Speaks. The iterable is lazy: nothing runs before the first `next()`; `return()` or an aborted signal stops
   * the engine or closes the upstream connection. Throws AppError: `invalid` (text or voice it cannot speak),
   * `overloaded` (queue full), `upstream_*`.
   */
  synthesize(request: SpeechRequest, options: CallOptions): AsyncIterable<SpeechEvent>;
  voices(model: string): Promise<readonly Voice[]>;
  /** The form of an upstream's voice IDs, where its API takes IDs that its list of voices may not hold. */
  readonly voiceId?: RegExp;
  /** Fields of a dialect not its own that it follows all the same; the others are named in `x-patchbay-ignored`. */
  readonly carries?: readonly string[];
}

/** Sample rate of every `audio` event, in hertz. */
export const SPEECH_SAMPLE_RATE = 24_000;
