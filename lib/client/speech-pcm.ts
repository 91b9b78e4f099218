/** Functions on 24 kHz mono s16 samples: joining, WAV, peaks, pauses. */
export const SAMPLE_RATE = 24_000;

/** Decodes standard base64. Throws DOMException on an invalid character. */
export function bytesFromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Decodes little-endian samples, on machines of either byte order. An odd last byte is dropped. */
export function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Int16Array(bytes.byteLength >> 1);
  for (let at = 0; at < samples.length; at += 1) samples[at] = view.getInt16(at * 2, true);
  return samples;
}

/** Decodes samples from chunks of bytes that may be split within a sample. */
export class SampleDecoder {
  /** The first byte of a sample whose second one has not arrived; else empty. */
  #rest = new Uint8Array();

  push(bytes: Uint8Array): Int16Array<ArrayBuffer> {
    const joined = new Uint8Array(this.#rest.length + bytes.length);
    joined.set(this.#rest);
    joined.set(bytes, this.#rest.length);
    this.#rest = joined.slice(joined.length - (joined.length % 2));
    return samplesFromBytes(joined);
  }
}

/** Concatenates chunks. */
export function joinSamples(chunks: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const joined = new Int16Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

/**
 * Writes the number of samples into the header of a FLAC file, which has 0 (unknown) because the server encodes it as a
 * stream: players then show neither a duration nor a position (RFC 9639, section 8.2).
 */
export function setFlacLength(file: ArrayBuffer, samples: number): void {
  // Only the low 32 bits of the 36-bit number, which are enough for 49 hours.
  new DataView(file).setUint32(22, samples);
}

/** A RIFF/WAVE file (PCM, mono, 16 bit, 24 kHz) of the samples: a 44-byte header, then the data. */
export function wavOf(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const data = samples.length * 2;
  const file = new Uint8Array(44 + data);
  const view = new DataView(file.buffer);
  const writeTag = (at: number, tag: string) => {
    for (let index = 0; index < 4; index += 1) view.setUint8(at + index, tag.charCodeAt(index));
  };
  writeTag(0, "RIFF");
  view.setUint32(4, 36 + data, true);
  writeTag(8, "WAVE");
  writeTag(12, "fmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeTag(36, "data");
  view.setUint32(40, data, true);
  for (let at = 0; at < samples.length; at += 1) view.setInt16(44 + at * 2, samples[at] ?? 0, true);
  return file;
}

/** The samples as raw little-endian bytes. */
export function pcmOf(samples: Int16Array): Uint8Array<ArrayBuffer> {
  return wavOf(samples).slice(44);
}

/** Largest magnitude (0–1) in each of `buckets` equal sections of the samples. */
export function peaksOf(samples: Int16Array, buckets: number): Float32Array<ArrayBuffer> {
  const peaks = new Float32Array(buckets);
  const span = samples.length / buckets;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const end = Math.min(samples.length, Math.ceil((bucket + 1) * span));
    let peak = 0;
    for (let at = Math.floor(bucket * span); at < end; at += 1) {
      peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    }
    peaks[bucket] = peak / 32_768;
  }
  return peaks;
}

/** Samples per peak where peaks are averaged: 20 ms. */
const STEP = SAMPLE_RATE / 50;

/**
 * Heights (0–1) of a waveform's bars: the peaks of the samples; in a long take, where each bar covers many syllables,
 * the mean of the peaks every 20 ms, because otherwise every bar would reach the top.
 */
export function waveformBars(samples: Int16Array, buckets: number): Float32Array<ArrayBuffer> {
  const steps = Math.floor(samples.length / STEP);
  if (steps < buckets * 2) return peaksOf(samples, buckets);
  return meansOf(peaksOf(samples, steps), buckets);
}

/** Mean of each of `count` equal sections; with fewer than `count` values, the nearest value. */
export function meansOf(values: ArrayLike<number>, count: number): Float32Array<ArrayBuffer> {
  const span = values.length / count;
  return Float32Array.from({ length: count }, (_, at) => {
    const from = Math.floor(at * span);
    const end = Math.max(from + 1, Math.floor((at + 1) * span));
    let sum = 0;
    for (let one = from; one < end; one += 1) sum += values[one] ?? 0;
    return sum / (end - from);
  });
}

/** Peaks of an arriving take: one per `span` samples. */
export class PeakMeter {
  readonly span: number;
  readonly peaks: number[] = [];
  #peak = 0;
  #filled = 0;

  constructor(span = 480) {
    this.span = span;
  }

  push(samples: Int16Array): void {
    for (const sample of samples) {
      this.#peak = Math.max(this.#peak, Math.abs(sample));
      this.#filled += 1;
      if (this.#filled === this.span) {
        this.peaks.push(this.#peak / 32_768);
        this.#peak = 0;
        this.#filled = 0;
      }
    }
  }
}

/**
 * Index of the middle of the first pause at or after `from`, at least 50 ms below −40 dBFS; −1 if there is none. The
 * player switches its source inaudibly there.
 */
export function findPause(samples: Int16Array, from: number): number {
  const minLength = SAMPLE_RATE / 20;
  // −40 dBFS of 32,768.
  const threshold = 328;
  let start = Math.max(0, from);
  for (let at = start; at < samples.length; at += 1) {
    if (Math.abs(samples[at] ?? 0) > threshold) start = at + 1;
    else if (at - start + 1 >= minLength) return start + (minLength >> 1);
  }
  return -1;
}

export function durationMsOf(samples: { length: number }): number {
  return (samples.length / SAMPLE_RATE) * 1000;
}
