import { LRUCache } from "lru-cache";

/** Zero crossings of the sinc on either side of its centre, at the lower of the two rates. */
const HALF_WIDTH = 32;
/** Shape of the Kaiser window, for a stop band of about 85 dB. */
const BETA = 8.6;
/** Centre of the transition band as a fraction of the lower Nyquist frequency: the stop band begins at Nyquist. */
const CUTOFF = 0.915;

interface Kernel {
  /** `phases` rows of `taps` coefficients. */
  table: Float32Array;
  taps: number;
  /** Output rate over input rate, in lowest terms, is `phases / step`. */
  phases: number;
  step: number;
}

const MAX_KERNELS = 64;
const kernels = new LRUCache<string, Kernel>({ max: MAX_KERNELS });

/**
 * Band-limited change of sample rate: polyphase windowed sinc, with state kept between blocks. Rates are whole hertz;
 * aliases and images stay below −70 dB. The filter's delay is compensated, so that n input samples give n · output /
 * input samples after `flush`.
 */
export class Resampler {
  readonly #kernel: Kernel;
  readonly #half: number;
  #pending: Float32Array;
  #phase = 0;
  #expected = 0;
  readonly #ratio: number;

  constructor(inputRate: number, outputRate: number) {
    this.#kernel = kernelFor(inputRate, outputRate);
    this.#half = this.#kernel.taps / 2;
    this.#ratio = outputRate / inputRate;
    this.#pending = new Float32Array(this.#half - 1);
  }

  /** Returns the output samples that `input` completes. */
  process(input: Float32Array): Float32Array {
    this.#expected += input.length * this.#ratio;
    return this.#run(input);
  }

  /** Returns the rest at the end of the input; the resampler cannot be used after that. */
  flush(): Float32Array {
    const expected = Math.max(0, Math.round(this.#expected));
    return this.#run(new Float32Array(this.#half + 1)).subarray(0, expected);
  }

  #run(input: Float32Array): Float32Array {
    const { table, taps, phases, step } = this.#kernel;
    const buffer = new Float32Array(this.#pending.length + input.length);
    buffer.set(this.#pending);
    buffer.set(input, this.#pending.length);
    const lastStart = buffer.length - taps;
    const out = new Float32Array(lastStart < 0 ? 0 : Math.ceil(((lastStart + 1) * phases) / step) + 1);
    let at = 0;
    let phase = this.#phase;
    let count = 0;
    while (at <= lastStart) {
      out[count++] = dot(buffer, at, table, phase * taps, taps);
      phase += step;
      at += Math.floor(phase / phases);
      phase %= phases;
    }
    this.#phase = phase;
    this.#pending = buffer.slice(Math.min(at, buffer.length));
    this.#expected -= count;
    return out.subarray(0, count);
  }
}

export function resample(input: Float32Array, inputRate: number, outputRate: number): Float32Array {
  if (inputRate === outputRate) return input;
  const resampler = new Resampler(inputRate, outputRate);
  const head = resampler.process(input);
  const tail = resampler.flush();
  const out = new Float32Array(head.length + tail.length);
  out.set(head);
  out.set(tail, head.length);
  return out;
}

function dot(a: Float32Array, at: number, b: Float32Array, bt: number, length: number): number {
  // Four sums in parallel use the processor's pipeline; `?? 0` would cost a branch per tap.
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = 0; i < length; i += 4) {
    s0 += (a[at + i] as number) * (b[bt + i] as number); // inside both arrays: `at + length` ≤ a.length
    s1 += (a[at + i + 1] as number) * (b[bt + i + 1] as number);
    s2 += (a[at + i + 2] as number) * (b[bt + i + 2] as number);
    s3 += (a[at + i + 3] as number) * (b[bt + i + 3] as number);
  }
  return s0 + s1 + s2 + s3;
}

function kernelFor(inputRate: number, outputRate: number): Kernel {
  const key = `${inputRate}>${outputRate}`;
  const known = kernels.get(key);
  if (known) return known;
  const made = makeKernel(inputRate, outputRate);
  kernels.set(key, made);
  return made;
}

function makeKernel(inputRate: number, outputRate: number): Kernel {
  const divisor = greatestCommonDivisor(inputRate, outputRate);
  const phases = outputRate / divisor;
  const step = inputRate / divisor;
  const scale = Math.min(1, outputRate / inputRate);
  const half = 2 * Math.ceil(HALF_WIDTH / scale / 2);
  const taps = half * 2;
  const cutoff = CUTOFF * scale;
  const table = new Float32Array(phases * taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const x = tap - (half - 1) - phase / phases;
      const value = cutoff * sinc(cutoff * x) * kaiser(x / half);
      table[phase * taps + tap] = value;
      sum += value;
    }
    // Gives every phase the same DC gain; otherwise the differences would be heard as a tone.
    for (let tap = 0; tap < taps; tap++) {
      const index = phase * taps + tap;
      table[index] = (table[index] ?? 0) / sum;
    }
  }
  return { table, taps, phases, step };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA);
}

/** Modified Bessel function of the first kind of order zero, by its power series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
