import type { ModelRecord } from "../../ports/store";
import { costNano } from "../metering/price";

/** Gemini's count of audio: 25 tokens a second. */
const TOKENS_PER_SECOND = 25;
/** 24 kHz, two bytes a sample. */
const BYTES_PER_MS = 48;

/** Milliseconds and tokens of so many bytes of 24 kHz mono s16le. */
export function measureAudio(bytes: number): { audioMs: number; outputTokens: number } {
  const audioMs = Math.round(bytes / BYTES_PER_MS);
  return { audioMs, outputTokens: Math.ceil((bytes * TOKENS_PER_SECOND) / (BYTES_PER_MS * 1_000)) };
}

/**
 * The longest speech expected of a text, in seconds: min(the model's longest reply, 2 s + 0.15 s a character), longer by
 * as much as the caller slows the speech down.
 */
export function longestSpeechSeconds(
  model: Pick<ModelRecord, "maxAudioSeconds">,
  call: { characters: number; speed: number },
): number {
  return Math.min(
    model.maxAudioSeconds ?? Number.POSITIVE_INFINITY,
    (2 + 0.15 * call.characters) / Math.min(1, call.speed),
  );
}

/** The most a speech call may cost, in nano-dollars: its input, and the longest speech expected of it. */
export function worstSpeechCostNano(
  model: Pick<ModelRecord, "prices" | "maxAudioSeconds">,
  call: { inputTokens: number; characters: number; speed: number },
): number {
  const seconds = longestSpeechSeconds(model, call);
  return costNano(model.prices, {
    inputTokens: call.inputTokens,
    characters: call.characters,
    outputTokens: Math.ceil(seconds * TOKENS_PER_SECOND),
    audioMs: Math.ceil(seconds * 1_000),
  });
}
