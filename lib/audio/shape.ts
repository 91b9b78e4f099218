import { type Band, equalize } from "./equalize";
import { samplesFor } from "./pcm";
import { resample } from "./resample";

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

/** Length of the overlapping segments. */
const WINDOW_MS = 30;
/** How far a segment may be moved to continue the waveform before it. */
const SEARCH_MS = 10;

/**
 * Changes the tempo at the same pitch (`speed` > 1 is faster): WSOLA (Verhelst and Roelands, 1993). Segments of 30 ms
 * overlap by half at a new distance, each moved by up to 10 ms to where it continues the previous one best.
 */
export function changeSpeed(samples: Float32Array, rate: number, speed: number): Float32Array {
  const hop = Math.round((WINDOW_MS * rate) / 2000);
  const window = hop * 2;
  const search = samplesFor(SEARCH_MS, rate);
  if (Math.abs(speed - 1) < 0.01 || samples.length < window + 2 * search) return samples;

  const fade = Float32Array.from(
    { length: window },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / window),
  );
  const pieces = Math.ceil(samples.length / speed / hop);
  const out = new Float32Array((pieces + 1) * hop);
  let follow = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const wanted = Math.round(piece * hop * speed);
    const start = piece === 0 ? 0 : bestMatch(samples, follow, wanted, search, hop);
    const length = Math.min(window, samples.length - start);
    for (let i = 0; i < length; i++) {
      // The first half of the first segment has nothing to fade from.
      const weight = piece === 0 && i < hop ? 1 : (fade[i] ?? 0);
      out[piece * hop + i] = (out[piece * hop + i] ?? 0) + (samples[start + i] ?? 0) * weight;
    }
    follow = start + hop;
  }
  return out.subarray(0, Math.round(samples.length / speed));
}

/** The position near `wanted` where the waveform is most similar to what follows at `follow`. */
function bestMatch(
  samples: Float32Array,
  follow: number,
  wanted: number,
  search: number,
  length: number,
): number {
  const low = Math.max(0, wanted - search);
  const high = Math.min(samples.length - length, wanted + search);
  let best = low;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let start = low; start <= high; start += 2) {
    let cross = 0;
    let energy = 1e-9;
    for (let i = 0; i < length; i += 2) {
      const candidate = samples[start + i] ?? 0;
      cross += candidate * (samples[follow + i] ?? 0);
      energy += candidate * candidate;
    }
    const score = cross / Math.sqrt(energy);
    if (score > bestScore) {
      bestScore = score;
      best = start;
    }
  }
  return best;
}

/** Loudness of the finished speech, in dBFS over the frames that hold sound. */
const TARGET_DB = -20;
/** Frames this far below the loudest are not speech: they are cut from the start, and do not count for the loudness. */
const GATE_DB = -35;
/** The same limit for the end of speech: the last sound of "cough" and "breath" is 40 dB below the loudest. */
const END_DB = -45;
const FRAME_MS = 20;
/** Largest gain; more would amplify the noise of a pause to the level of speech. */
const MAX_GAIN_DB = 24;
/** Peaks above the knee are compressed, never clipped; they stay below `CEILING`. */
const KNEE = 0.7;
const CEILING = 0.985;

/** Brings `samples` to −20 dBFS RMS in place and compresses the peaks that would clip. */
export function levelLoudness(samples: Float32Array, rate: number): Float32Array {
  const loudness = activeRms(samples, rate);
  if (loudness === 0) return samples;
  const gain = Math.min(10 ** (TARGET_DB / 20) / loudness, 10 ** (MAX_GAIN_DB / 20));
  for (let i = 0; i < samples.length; i++) samples[i] = compressPeak((samples[i] ?? 0) * gain);
  return samples;
}

/** The samples from the first to the last sound, with a margin of `marginMs`; a view, empty when all is silence. */
export function trimSilence(samples: Float32Array, rate: number, marginMs: number): Float32Array {
  const powers = framePowers(samples, rate);
  const loudest = Math.max(...powers, 0);
  // Some voices have noise before the first sound that is as loud as the last one.
  const first = powers.findIndex((power) => power > loudest * 10 ** (GATE_DB / 10));
  if (first < 0) return samples.subarray(0, 0);
  const last = powers.findLastIndex((power) => power > loudest * 10 ** (END_DB / 10));
  const frame = samplesFor(FRAME_MS, rate);
  const margin = samplesFor(marginMs, rate);
  return samples.subarray(
    Math.max(0, first * frame - margin),
    Math.min(samples.length, (last + 1) * frame + margin),
  );
}

function activeRms(samples: Float32Array, rate: number): number {
  const powers = framePowers(samples, rate);
  const threshold = Math.max(...powers, 0) * 10 ** (GATE_DB / 10);
  let sum = 0;
  let count = 0;
  for (const power of powers) {
    if (power <= threshold) continue;
    sum += power;
    count++;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}

function framePowers(samples: Float32Array, rate: number): number[] {
  const frame = samplesFor(FRAME_MS, rate);
  const powers: number[] = [];
  for (let start = 0; start < samples.length; start += frame) {
    const end = Math.min(samples.length, start + frame);
    let sum = 0;
    for (let i = start; i < end; i++) sum += (samples[i] ?? 0) ** 2;
    powers.push(sum / (end - start));
  }
  return powers;
}

function compressPeak(x: number): number {
  const size = Math.abs(x);
  if (size <= KNEE) return x;
  const bent = KNEE + (CEILING - KNEE) * Math.tanh((size - KNEE) / (CEILING - KNEE));
  return x < 0 ? -bent : bent;
}
