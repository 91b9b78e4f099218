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

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const UNKNOWN_SIZE = 0xffffffff;

/**
 * The 44-byte RIFF header of mono 16-bit PCM. With `dataBytes` null both sizes are 0xFFFFFFFF, as is usual for audio of
 * unknown length; players then read to the end.
 */
export function wavHeader(sampleRate: number, dataBytes: number | null): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  const tag = (offset: number, text: string) => header.set(new TextEncoder().encode(text), offset);
  tag(0, "RIFF");
  view.setUint32(4, dataBytes === null ? UNKNOWN_SIZE : HEADER_BYTES - 8 + dataBytes, true);
  tag(8, "WAVE");
  tag(12, "fmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true);
  tag(36, "data");
  view.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return header;
}
