/** Length of a whole vector. */
export const DIMENSIONS = 1_024;

/**
 * A vector consists of blocks, and every feature is written once, with a sign, into each block. The first 64, 128, 256
 * or 512 numbers are therefore a sketch of the whole text, so a shortened vector loses precision, not features. A
 * block's weight is the square root of its share of the 1,024 numbers, which makes the whole vector as precise as one
 * count sketch of 1,024 numbers (Charikar, Chen, Farach-Colton 2002; Weinberger et al. 2009).
 */
const BLOCKS = [
  { start: 0, bits: 6 },
  { start: 64, bits: 6 },
  { start: 128, bits: 7 },
  { start: 256, bits: 8 },
  { start: 512, bits: 9 },
] as const;
const SCALE = BLOCKS.map((block) => Math.sqrt(2 ** block.bits / DIMENSIONS));
const [S0 = 0, S1 = 0, S2 = 0, S3 = 0, S4 = 0] = SCALE;

/** MurmurHash3's 32-bit finaliser: every bit of the input changes half of the output bits. */
function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** One step of FNV-1a over UTF-16 code units. Integer arithmetic only: the same on every machine. */
export function step(hash: number, codeUnit: number): number {
  return Math.imul(hash ^ codeUnit, 0x01000193);
}

export function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = step(hash, text.charCodeAt(i));
  return hash;
}

/** Adds a feature of the given weight to the sums. */
export function addFeature(sums: Float64Array, hash: number, weight: number): void {
  const places = mix(hash);
  const more = mix(hash ^ 0x9e3779b9);
  const at = (index: number, value: number): void => {
    sums[index] = (sums[index] ?? 0) + value;
  };
  at(places & 63, places & 0x80000000 ? -weight * S0 : weight * S0);
  at(64 + ((places >>> 6) & 63), places & 0x40000000 ? -weight * S1 : weight * S1);
  at(128 + ((places >>> 12) & 127), places & 0x20000000 ? -weight * S2 : weight * S2);
  at(256 + ((places >>> 19) & 255), more & 0x40000000 ? -weight * S3 : weight * S3);
  at(512 + (more & 511), more & 0x80000000 ? -weight * S4 : weight * S4);
}

/** The first `dimensions` sums as a vector of length 1. */
export function unitVector(sums: Float64Array, dimensions: number): Float32Array {
  let square = 0;
  for (let i = 0; i < dimensions; i++) square += (sums[i] ?? 0) ** 2;
  const vector = new Float32Array(dimensions);
  if (square === 0) {
    // No feature fell into this short prefix: a fixed direction instead of a zero vector.
    vector[0] = 1;
    return vector;
  }
  const norm = Math.sqrt(square);
  for (let i = 0; i < dimensions; i++) vector[i] = (sums[i] ?? 0) / norm;
  return vector;
}
