import type { StopSignal } from "./stop-signal";
import type { UpstreamProgress } from "./upstream-progress";

/** The port that every text-to-speech engine and upstream implements (one folder of lib/providers each). */

/** Text for one voice. `text` is never empty. */
export interface SpeechSegment {
  text: string;
  /** A voice name of the public model, in its canonical case. */
  voice: string;
  /** The speaker's name in a conversation. */
  speaker?: string;
  /** A free description of the style ("whispered"); engines that cannot follow it ignore it. */
  style?: string;
}

export interface SpeechRequest {
  /** The upstream's own model name. */
  model: string;
  segments: SpeechSegment[];
  /** BCP-47 language; absent: detected from the text. */
  language?: string;
  /** 1 is the natural speed; 0.25–4. */
  speed: number;
  instructions?: string;
  /** The caller's request, for an upstream of the same API, which gets unknown fields unchanged. */
  source?: { dialect: "gemini" | "openai"; body: Readonly<Record<string, unknown>> };
  /** The stream may have `base64` events instead of `audio`: the reply needs base64 of raw samples. */
  acceptsBase64?: boolean;
  /** The longest expected speech, in seconds. */
  maxSeconds?: number;
  /** The caller can use incomplete speech, and is sent the reason for its end: true for callers of Gemini's stream. */
  acceptsPart?: boolean;
}

/** What a provider needs of one call besides its request. */
export interface CallOptions {
  /** Aborted when the caller leaves or the deadline passes; the provider stops at once. */
  signal: StopSignal;
  requestId: string;
  /** The user whose call it is: built-in engines serve users in turn. Absent: a call of the console. */
  ownerId?: string;
  /** The header by which an upstream continues the request's trace (W3C Trace Context). */
  traceparent?: string;
  /** Deadline of the first byte, in monotonic milliseconds. */
  firstByteBy: number;
  /**
   * Moves the deadline by this many milliseconds, for a reply whose first byte comes with its last; returns the new
   * one. To be called before the upstream is asked.
   */
  extendFirstByte?(ms: number): number;
  /** Progress of the attempt; absent where it is not needed. Passed unchanged to every upstream call of the attempt. */
  progress?: UpstreamProgress;
  /**
   * Called by providers that take long to parse replies, when all upstream replies of the call have arrived: from then
   * on neither the deadline nor a caller who leaves ends the call, because its upstream has done the work and will
   * charge for it.
   */
  onReplied?(): void;
  /**
   * Called before the call is sent again: the deadline and the caller count as before. May abort the signal at once.
   */
  onRepeat?(): void;
}

export interface SpeechUsage {
  /** Tokens that the upstream counted; null when it reports none. */
  inputTokens: number | null;
  outputTokens: number | null;
}

/**
 * `audio` holds whole 24 kHz mono s16le samples (an even number of bytes, never empty) in order; exactly one `end`
 * closes a complete stream. A stream that throws or stops without `end` is incomplete. `base64` replaces all `audio` of
 * a stream, only where the request accepts it: the joined texts are the standard base64 of the same samples; `bytes` is
 * the number of sample bytes that the text completes.
 */
export type SpeechEvent =
  | { type: "audio"; pcm: Uint8Array }
  | { type: "base64"; text: Uint8Array; bytes: number }
  | { type: "end"; usage: SpeechUsage; finishReason: string };

export interface Voice {
  /** The name that callers send. */
  name: string;
  /** Other names for it at its upstream, such as its ID; accepted but not listed. */
  aliases?: readonly string[];
  /** BCP-47 tags of the voice's languages; empty: all of the model's languages. */
  languages: string[];
  gender: "female" | "male" | "neutral";
  /** A short description: "bright", "gravelly". */
  description: string;
  /** The catalogue that the name comes from. */
  family: "gemini" | "openai" | "engine";
}

export interface SpeechModel {
  /**
   * Speaks. The iterable is lazy: nothing runs before the first `next()`; `return()` or an aborted signal stops the
   * engine or closes the upstream connection. Throws AppError: `invalid` (text or voice that it cannot speak),
   * `overloaded` (queue full), `upstream_*`.
   */
  synthesize(request: SpeechRequest, options: CallOptions): AsyncIterable<SpeechEvent>;
  voices(model: string): Promise<readonly Voice[]>;
  /** The form of an upstream's voice IDs, where its API accepts IDs that are not in its list of voices. */
  readonly voiceId?: RegExp;
  /**
   * Fields of other APIs that it supports for an upstream model; unsupported fields are named in
   * `x-patchbay-ignored`. Absent: none.
   */
  supportedFields?(model: string): readonly string[];
  /**
   * The catalogue whose names are the upstream's own voices; the other catalogue's names are aliases. Absent: the names
   * of both catalogues are aliases.
   */
  readonly ownFamily?: "gemini" | "openai";
}

/** Sample rate of every `audio` event, in hertz. */
export const SPEECH_SAMPLE_RATE = 24_000;
/** The samples are s16le. */
export const SPEECH_BYTES_PER_SECOND = SPEECH_SAMPLE_RATE * 2;
