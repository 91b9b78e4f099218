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
  const search = Math.round((SEARCH_MS * rate) / 1000);
  if (Math.abs(speed - 1) < 0.01 || samples.length < window + 2 * search) return samples;

  const fade = Float32Array.from(
    { length: window },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / window),
  );
  const pieces = Math.max(1, Math.ceil(samples.length / speed / hop));
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
  return out.subarray(0, Math.min(out.length, Math.round(samples.length / speed)));
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
  if (follow + length > samples.length || high <= low)
    return Math.max(0, Math.min(wanted, samples.length - 1));
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
