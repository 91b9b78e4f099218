/** 24 kHz mono s16le of a sine tone in chunks, the last one shorter; `amplitude` 0 is silence. */
export async function* tone(
  seconds: number,
  { chunkSeconds = 0.1, amplitude = 8_000, hertz = 440 } = {},
): AsyncGenerator<Uint8Array> {
  const total = Math.round(seconds * 24_000);
  const step = Math.round(chunkSeconds * 24_000);
  for (let start = 0; start < total; start += step) {
    const samples = new Int16Array(Math.min(step, total - start));
    for (let i = 0; i < samples.length; i += 1) {
      samples[i] = Math.round(amplitude * Math.sin((2 * Math.PI * hertz * (start + i)) / 24_000));
    }
    yield new Uint8Array(samples.buffer);
  }
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** Root mean square of s16 samples. */
export function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}
