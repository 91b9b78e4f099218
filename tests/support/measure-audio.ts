/** Measures audio in tests: level, pitch and spectral envelope of mono floats (−1…1). */

/** Converts signed 16-bit samples to floats (−1…1). */
export function decodePcm16(samples: Int16Array): Float32Array {
  const out = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) out[i] = (samples[i] ?? 0) / 32_768;
  return out;
}

export function rmsDb(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-12);
}

export function peak(samples: Float32Array): number {
  let most = 0;
  for (const sample of samples) most = Math.max(most, Math.abs(sample));
  return most;
}

/** Averages of three samples each: enough for pitch, and nine times faster to search. */
function downsample(samples: Float32Array): Float32Array {
  const out = new Float32Array(Math.floor(samples.length / 3));
  for (let i = 0; i < out.length; i++) {
    out[i] = ((samples[3 * i] ?? 0) + (samples[3 * i + 1] ?? 0) + (samples[3 * i + 2] ?? 0)) / 3;
  }
  return out;
}

/** Median fundamental frequency of the voiced frames, by normalized autocorrelation (55–450 Hz); NaN without voiced frames. */
export function medianPitch(samples: Float32Array, sampleRate: number): number {
  const x = downsample(samples);
  const rate = sampleRate / 3;
  const window = Math.round(rate * 0.04);
  const [shortest, longest] = [Math.floor(rate / 450), Math.ceil(rate / 55)];
  const found: number[] = [];
  for (let start = 0; start + window + longest + 1 < x.length; start += window) {
    const pitch = framePitch(x, start, window, shortest, longest);
    if (pitch !== null) found.push(rate / pitch);
  }
  found.sort((a, b) => a - b);
  return found[found.length >> 1] ?? Number.NaN;
}

/** The name of the voice whose median pitch is nearest to that of `samples`. */
export function nearestVoice(
  samples: Float32Array,
  voices: Readonly<Record<string, Float32Array>>,
  sampleRate: number,
): string | undefined {
  const pitch = medianPitch(samples, sampleRate);
  const distances = Object.entries(voices).map(([name, voice]) => ({
    name,
    hertz: Math.abs(medianPitch(voice, sampleRate) - pitch),
  }));
  return distances.sort((a, b) => a.hertz - b.hertz)[0]?.name;
}

function framePitch(
  x: Float32Array,
  start: number,
  window: number,
  shortest: number,
  longest: number,
): number | null {
  const at = (i: number) => x[start + i] ?? 0;
  const energy = (from: number) => {
    let sum = 0;
    for (let i = from; i < from + window; i++) sum += at(i) ** 2;
    return sum;
  };
  const own = energy(0);
  if (own / window < 1e-4) return null;
  const scores: number[] = [];
  let shifted = energy(shortest - 1);
  for (let lag = shortest - 1; lag <= longest + 1; lag++) {
    let cross = 0;
    for (let i = start; i < start + window; i++) cross += (x[i] ?? 0) * (x[i + lag] ?? 0);
    scores.push(cross / Math.sqrt(own * Math.max(shifted, 1e-12)));
    shifted += at(lag + window) ** 2 - at(lag) ** 2;
  }
  let best = -1;
  for (let i = 1; i < scores.length - 1; i++) {
    const [before = 0, here = 0, after = 0] = scores.slice(i - 1, i + 2);
    // A later peak must be clearly better, otherwise half the pitch would be found.
    if (here > before && here >= after && here > (scores[best] ?? 0.7) + (best < 0 ? 0 : 0.03)) best = i;
  }
  if (best < 0) return null;
  const [a = 0, b = 0, c = 0] = scores.slice(best - 1, best + 2);
  return shortest - 1 + best + (a - c) / (2 * (a - 2 * b + c));
}

const FRAME = 1024;
const BANDS = 24;

/** Mean power of 24 mel bands (100 Hz–8 kHz) over the frames with sound, in dB relative to the overall level. */
export function spectralEnvelope(samples: Float32Array, sampleRate: number): number[] {
  const power = new Float64Array(FRAME / 2);
  for (let start = 0; start + FRAME <= samples.length; start += FRAME / 2) {
    const frame = samples.subarray(start, start + FRAME);
    if (rmsDb(frame) < -40) continue;
    addPower(frame, power);
  }
  const mel = (hertz: number) => 1127 * Math.log1p(hertz / 700);
  const edge = (i: number) => 700 * Math.expm1((mel(100) + ((mel(8000) - mel(100)) * i) / BANDS) / 1127);
  const bands = Array.from({ length: BANDS }, (_, band) => {
    const from = Math.floor((edge(band) * FRAME) / sampleRate);
    const to = Math.max(from + 1, Math.floor((edge(band + 1) * FRAME) / sampleRate));
    let sum = 1e-12;
    for (let bin = from; bin < to; bin++) sum += power[bin] ?? 0;
    return 10 * Math.log10(sum / (to - from));
  });
  const mean = bands.reduce((a, b) => a + b, 0) / BANDS;
  return bands.map((band) => band - mean);
}

/** Mean absolute difference of two envelopes, in dB. */
export function envelopeDistance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length;
}

/** Sine and cosine of each FRAME-th of a turn. */
const COSINES = Float64Array.from({ length: FRAME }, (_, i) => Math.cos((2 * Math.PI * i) / FRAME));
const SINES = Float64Array.from({ length: FRAME }, (_, i) => Math.sin((2 * Math.PI * i) / FRAME));

/** Adds the power of each bin of a frame of FRAME samples under a Hann window. */
function addPower(frame: Float32Array, power: Float64Array): void {
  const re = new Float64Array(FRAME);
  const im = new Float64Array(FRAME);
  for (let i = 0; i < FRAME; i++) re[i] = (frame[i] ?? 0) * (0.5 - 0.5 * (COSINES[i] ?? 0));
  transform(re, im);
  for (let i = 0; i < power.length; i++) power[i] = (power[i] ?? 0) + (re[i] ?? 0) ** 2 + (im[i] ?? 0) ** 2;
}

/** Radix-2 fast Fourier transform of FRAME real values in place. */
function transform(re: Float64Array, im: Float64Array): void {
  const size = FRAME;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const swapped = re[i] ?? 0;
    re[i] = re[j] ?? 0;
    re[j] = swapped;
  }
  for (let length = 2; length <= size; length <<= 1) {
    const turn = size / length;
    for (let start = 0; start < size; start += length) {
      for (let k = 0; k < length / 2; k++) {
        const p = start + k;
        const q = p + length / 2;
        const wr = COSINES[turn * k] ?? 0;
        const wi = -(SINES[turn * k] ?? 0);
        const xr = re[q] ?? 0;
        const xi = im[q] ?? 0;
        const tr = xr * wr - xi * wi;
        const ti = xr * wi + xi * wr;
        re[q] = (re[p] ?? 0) - tr;
        im[q] = (im[p] ?? 0) - ti;
        re[p] = (re[p] ?? 0) + tr;
        im[p] = (im[p] ?? 0) + ti;
      }
    }
  }
}
