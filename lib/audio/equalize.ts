/** One filter of a voice's timbre. `hertz` is the corner of a shelf or the centre of a peak. */
export interface Band {
  shape: "low-shelf" | "high-shelf" | "peak";
  hertz: number;
  gainDb: number;
}

interface Biquad {
  b0: number;
  b1: number;
  b2: number;
  a1: number;
  a2: number;
}

/**
 * Filters `samples` in place, one filter after the other (biquads of R. Bristow-Johnson's Audio EQ Cookbook, Q =
 * 0.707).
 */
export function equalize(samples: Float32Array, rate: number, bands: readonly Band[]): Float32Array {
  for (const band of bands) runBiquad(samples, designBiquad(band, rate));
  return samples;
}

function runBiquad(samples: Float32Array, { b0, b1, b2, a1, a2 }: Biquad): void {
  let z1 = 0;
  let z2 = 0;
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i] ?? 0;
    const y = b0 * x + z1;
    z1 = b1 * x - a1 * y + z2;
    z2 = b2 * x - a2 * y;
    samples[i] = y;
  }
}

function designBiquad({ shape, hertz, gainDb }: Band, rate: number): Biquad {
  const amplitude = 10 ** (gainDb / 40);
  const omega = (2 * Math.PI * hertz) / rate;
  const cosine = Math.cos(omega);
  const alpha = Math.sin(omega) / Math.SQRT2;
  if (shape === "peak") {
    const a0 = 1 + alpha / amplitude;
    return {
      b0: (1 + alpha * amplitude) / a0,
      b1: (-2 * cosine) / a0,
      b2: (1 - alpha * amplitude) / a0,
      a1: (-2 * cosine) / a0,
      a2: (1 - alpha / amplitude) / a0,
    };
  }
  // The formula of the high shelf is that of the low shelf with the sign of the cosine inverted.
  const sign = shape === "low-shelf" ? 1 : -1;
  const c = sign * cosine;
  const root = 2 * Math.sqrt(amplitude) * alpha;
  const up = amplitude + 1;
  const down = amplitude - 1;
  const a0 = up + down * c + root;
  return {
    b0: (amplitude * (up - down * c + root)) / a0,
    b1: (sign * 2 * amplitude * (down - up * c)) / a0,
    b2: (amplitude * (up - down * c - root)) / a0,
    a1: (sign * -2 * (down + up * c)) / a0,
    a2: (up + down * c - root) / a0,
  };
}
