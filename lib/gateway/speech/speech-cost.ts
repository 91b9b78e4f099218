import { SPEECH_BYTES_PER_SECOND } from "../../ports/speech-model";
import type { ModelRecord } from "../../ports/store";
import { costNano } from "../metering/price";

/** Gemini counts 25 tokens per second of audio. */
export const TOKENS_PER_SECOND = 25;

/** Duration and tokens of `bytes` of 24 kHz mono s16le audio. */
export function measureAudio(bytes: number): { audioMs: number; outputTokens: number } {
  const audioMs = Math.round((bytes * 1_000) / SPEECH_BYTES_PER_SECOND);
  return { audioMs, outputTokens: Math.ceil((bytes * TOKENS_PER_SECOND) / SPEECH_BYTES_PER_SECOND) };
}

/** What the duration of a speech call depends on. */
interface SpeechExtent {
  /** Code points. */
  characters: number;
  /** As `spokenLength` counts. */
  letters: number;
  speed: number;
}

/**
 * The longest expected speech of a text in seconds: 2 s + 0.15 s per character or 0.1 s per spoken letter, whichever is
 * longer, divided by a speed below 1, and at most the model's longest reply.
 */
export function maxSpeechSeconds(model: Pick<ModelRecord, "maxAudioSeconds">, extent: SpeechExtent): number {
  return Math.min(
    model.maxAudioSeconds ?? Number.POSITIVE_INFINITY,
    (2 + Math.max(0.15 * extent.characters, 0.1 * extent.letters)) / Math.min(1, extent.speed),
  );
}

/** Worst-case cost of a speech call in nano-dollars: its input, and the longest expected speech of each candidate. */
export function maxSpeechCostNano(
  model: Pick<ModelRecord, "prices" | "maxAudioSeconds">,
  call: SpeechExtent & { inputTokens: number; candidates?: number | undefined },
): number {
  const seconds = maxSpeechSeconds(model, call) * (call.candidates ?? 1);
  return costNano(model.prices, {
    inputTokens: call.inputTokens,
    characters: call.characters,
    outputTokens: Math.ceil(seconds * TOKENS_PER_SECOND),
    audioMs: Math.ceil(seconds * 1_000),
  });
}
