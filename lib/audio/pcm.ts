/**
 * Converts float samples (−1…1) to signed 16-bit little-endian bytes, rounded and clipped. Typed arrays are
 * little-endian on every platform that Node supports except s390x, which is not supported here.
 */
export function encodePcm16(samples: Float32Array): Uint8Array {
  const out = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const scaled = Math.round((samples[i] ?? 0) * 32_767);
    out[i] = Math.min(32_767, Math.max(-32_768, scaled));
  }
  return new Uint8Array(out.buffer);
}

/** The number of samples in `durationMs` at `rate` hertz. */
export function samplesFor(durationMs: number, rate: number): number {
  return Math.round((durationMs * rate) / 1000);
}
