import { endianness } from "node:os";

/**
 * Prints 32-bit floats as JSON numbers with as few digits as parse back to the same 32-bit float, at most nine.
 * JavaScript prints the 17 digits of a 64-bit float, which was the largest cost of an embeddings call with numbers. The
 * test compares the text with that of `Array.join`.
 */

const MAX_DIGITS = 9;
/** Ten to the power of the index; all are exact. */
const POWERS = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
/**
 * A number below 1 has `index` zeros after its decimal point when it is below this bound and not below the next one.
 */
const LEADING_ZERO_BOUNDS = Float64Array.from({ length: 8 }, (_, zeros) => 1 / 10 ** zeros);
/** Numbers outside this range are rare in vectors; JavaScript prints them. */
const MIN_SIZE = 1e-6;
const SIZE_LIMIT = 1;
/** Most bytes of a number and its comma: a 64-bit float's text has up to 24 characters. */
const MAX_NUMBER_BYTES = 26;
const ZERO = 0x30;

/** The three digits of every number below 1,000, which saves two of three divisions. */
const THREE_DIGITS = Uint8Array.from({ length: 3_000 }, (_, at) => {
  const divisor = 10 ** (2 - (at % 3));
  return ZERO + (Math.floor(Math.floor(at / 3) / divisor) % 10);
});

let scratch = Buffer.alloc(0);

/** A JSON array of the numbers. */
export function vectorToJson(vector: Float32Array): string {
  const end = writeVector(vector);
  return scratch.toString("latin1", 0, end);
}

/** Like `vectorToJson`, as bytes. The next call overwrites them: copy them at once. */
export function vectorJsonBytes(vector: Float32Array): Uint8Array {
  const end = writeVector(vector);
  return scratch.subarray(0, end);
}

/** Writes the array into `scratch`; returns its end. */
function writeVector(vector: Float32Array): number {
  const maxBytes = vector.length * MAX_NUMBER_BYTES + 2;
  if (scratch.length < maxBytes) scratch = Buffer.alloc(maxBytes);
  let at = 0;
  scratch[at++] = 0x5b;
  for (let index = 0; index < vector.length; index++) {
    if (index > 0) scratch[at++] = 0x2c;
    at = writeFloat(scratch, at, vector, index);
  }
  scratch[at++] = 0x5d;
  return at;
}

/**
 * Writes one number at `at`; returns the position after it. Takes the vector and an index, because a float passed as a
 * parameter would be allocated on the heap.
 */
function writeFloat(text: Buffer, at: number, vector: Float32Array, index: number): number {
  const value = vector[index] ?? 0;
  const size = Math.abs(value);
  if (size < MIN_SIZE || size >= SIZE_LIMIT) return at + text.write(String(value), at, "latin1");
  let zeros = 0;
  while (size < (LEADING_ZERO_BOUNDS[zeros + 1] ?? 0)) zeros++;
  // The rounding error is at most 2e-7, far below the precision of a 32-bit float at nine digits.
  let digits = Math.round(size * (POWERS[zeros + MAX_DIGITS] ?? 0));
  let count = MAX_DIGITS;
  for (let fewer = count - 1; fewer > 0; fewer--) {
    const shorter = Math.round(digits / 10);
    // The quotient of two exact numbers is the number that a parser reads from the text.
    const isSame = Math.fround(shorter / (POWERS[zeros + fewer] ?? 0)) === size;
    if (!isSame) break;
    digits = shorter;
    count = fewer;
    if (shorter !== POWERS[fewer]) continue;
    // Rounded up to a power of ten.
    digits = 1;
    count = 1;
    zeros--;
    break;
  }
  let end = at;
  if (value < 0) text[end++] = 0x2d;
  text[end++] = ZERO;
  text[end++] = 0x2e;
  for (; zeros > 0; zeros--) text[end++] = ZERO;
  let rest = digits | 0;
  let position = end + count;
  for (; position - end >= 3; position -= 3) {
    const left = (rest / 1_000) | 0;
    const triple = (rest - left * 1_000) * 3;
    text[position - 3] = THREE_DIGITS[triple] ?? ZERO;
    text[position - 2] = THREE_DIGITS[triple + 1] ?? ZERO;
    text[position - 1] = THREE_DIGITS[triple + 2] ?? ZERO;
    rest = left;
  }
  for (; position > end; position--) {
    const left = (rest / 10) | 0;
    text[position - 1] = ZERO + rest - left * 10;
    rest = left;
  }
  return end + count;
}

const IS_LITTLE_ENDIAN = endianness() === "LE";

/** Base64 (padded) of the vector's little-endian 32-bit floats, as the official clients read it. */
export function vectorToBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32()).toString("base64");
}
