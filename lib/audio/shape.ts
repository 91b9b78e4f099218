import { type Band, equalize } from "./equalize";
import { levelLoudness, trimSilence } from "./level";
import { resample } from "./resample";
import { changeSpeed } from "./time-scale";

/** What is done to an engine's speech to make it one voice's. */
export interface Shape {
  /** Pitch and formants move by this factor together, as tape that runs faster; the tempo with them. */
  tape: number;
  /** Colour. */
  bands: readonly Band[];
  /** Tempo still to be changed at the same pitch; 1 when the engine spoke at the right pace itself. */
  speed: number;
}

/** Silence left before and after the words. */
const MARGIN_MS = 15;
/** Input rates are rounded to this, so that the resampler's tables stay small (the pitch is 3 cents off at most). */
const RATE_GRID = 50;

/**
 * Turns one stretch of an engine's speech into a voice: trimmed, moved, coloured, levelled.
 * Its working memory is a few times the stretch, so the caller keeps stretches to some seconds.
 */
export function shapeSpeech(
  samples: Float32Array,
  inputRate: number,
  shape: Shape,
  outputRate: number,
): Float32Array {
  const speech = trimSilence(samples, inputRate, MARGIN_MS);
  const paced = changeSpeed(speech, inputRate, shape.speed);
  const playedAt = Math.round((inputRate * shape.tape) / RATE_GRID) * RATE_GRID;
  const moved = resample(paced, playedAt, outputRate);
  const own = moved === samples || moved.buffer === samples.buffer ? moved.slice() : moved;
  return fadeEdges(levelLoudness(equalize(own, outputRate, shape.bands), outputRate), outputRate);
}

/** A cut in a running wave clicks: 5 ms of fade at either end. */
function fadeEdges(samples: Float32Array, rate: number): Float32Array {
  const length = Math.min(Math.round(rate * 0.005), samples.length >> 1);
  for (let i = 0; i < length; i++) {
    const weight = i / length;
    const last = samples.length - 1 - i;
    samples[i] = (samples[i] ?? 0) * weight;
    samples[last] = (samples[last] ?? 0) * weight;
  }
  return samples;
}
