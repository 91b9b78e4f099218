/** Loudness of the finished speech, in dBFS over the frames that hold sound. */
const TARGET_DB = -20;
/** Frames this far below the loudest do not count as sound. */
const GATE_DB = -35;
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
  for (let i = 0; i < samples.length; i++) samples[i] = limit((samples[i] ?? 0) * gain);
  return samples;
}

/** The samples from the first to the last sound, with a margin of `marginMs`; a view, empty when all is silence. */
export function trimSilence(samples: Float32Array, rate: number, marginMs: number): Float32Array {
  const powers = framePowers(samples, rate);
  const threshold = Math.max(...powers, 0) * 10 ** (GATE_DB / 10);
  const first = powers.findIndex((power) => power > threshold);
  if (first < 0) return samples.subarray(0, 0);
  const last = powers.findLastIndex((power) => power > threshold);
  const frame = frameLength(rate);
  const margin = Math.round((marginMs * rate) / 1000);
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
  const frame = frameLength(rate);
  const powers: number[] = [];
  for (let start = 0; start < samples.length; start += frame) {
    const end = Math.min(samples.length, start + frame);
    let sum = 0;
    for (let i = start; i < end; i++) sum += (samples[i] ?? 0) ** 2;
    powers.push(sum / (end - start));
  }
  return powers;
}

function frameLength(rate: number): number {
  return Math.round((FRAME_MS * rate) / 1000);
}

function limit(x: number): number {
  const size = Math.abs(x);
  if (size <= KNEE) return x;
  const bent = KNEE + (CEILING - KNEE) * Math.tanh((size - KNEE) / (CEILING - KNEE));
  return x < 0 ? -bent : bent;
}
