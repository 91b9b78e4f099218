import { type Band, equalize } from "./equalize";
import { levelLoudness, trimSilence } from "./level";
import { resample } from "./resample";
import { changeSpeed } from "./time-scale";

/** The processing that turns an engine's speech into one voice. */
export interface Shape {
  /** Factor by which pitch, formants and tempo rise together, as in playback at a higher sample rate. */
  playbackRate: number;
  /** Filters of the timbre. */
  bands: readonly Band[];
  /** Change of tempo at the same pitch; 1 when the engine already spoke at the right pace. */
  speed: number;
}

/** Silence kept before and after the words. */
const MARGIN_MS = 15;
/** Input rates are rounded to this, so that the resampler's tables stay small (the pitch is off by 3 cents at most). */
const RATE_GRID = 50;

/**
 * Turns a section of an engine's speech into a voice: trims, resamples, filters and levels it. Needs a few times the
 * section's memory, so the caller should pass sections of some seconds.
 */
export function shapeSpeech(
  samples: Float32Array,
  inputRate: number,
  shape: Shape,
  outputRate: number,
): Float32Array {
  const speech = trimSilence(samples, inputRate, MARGIN_MS);
  const paced = changeSpeed(speech, inputRate, shape.speed);
  const sourceRate = Math.round((inputRate * shape.playbackRate) / RATE_GRID) * RATE_GRID;
  const resampled = resample(paced, sourceRate, outputRate);
  // The filters work in place and must not change the caller's samples.
  const own = resampled.buffer === samples.buffer ? resampled.slice() : resampled;
  return fadeEdges(levelLoudness(equalize(own, outputRate, shape.bands), outputRate), outputRate);
}

/** Fades both ends over 5 ms: a cut in a waveform is heard as a click. */
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
