/** Length of the pieces that are laid over each other. */
const WINDOW_MS = 30;
/** How far a piece may be moved to fit the wave before it. */
const SEARCH_MS = 10;

/**
 * Speaks faster (`speed` > 1) or slower at the same pitch: WSOLA (Verhelst and Roelands, 1993). Pieces of 30 ms are
 * laid half over each other at a new distance, each moved by up to 10 ms to where it goes on from its forerunner best.
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
      // The first half of the first piece has nothing to fade from.
      const weight = piece === 0 && i < hop ? 1 : (fade[i] ?? 0);
      out[piece * hop + i] = (out[piece * hop + i] ?? 0) + (samples[start + i] ?? 0) * weight;
    }
    follow = start + hop;
  }
  return out.subarray(0, Math.min(out.length, Math.round(samples.length / speed)));
}

/** Where near `wanted` the wave looks most like what follows at `follow`. */
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
