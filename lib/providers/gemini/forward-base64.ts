import { nextTurn } from "../../ports/run-in-slices";
import type { Fields } from "../outbound/json";
import { asBase64, LongString } from "../outbound/long-json";
import { AudioReader, HEAD_BYTES, isMono, rateOf } from "../upstream-audio/audio-reader";
import { blobOf, mediaTypeOf, usedParts } from "./candidate";

/**
 * A caller of Gemini's own API gets the base64 of a whole reply unchanged: decoding and encoding it again is most of
 * the work on a long reply. This is the fast path, for the common form of a reply: one long string of raw samples at 24
 * kHz. `pcmOf` (./speech.ts) reads every other form, more slowly, with the same bytes and the same errors.
 */
export interface Base64Audio {
  /** Parts of the base64 of all samples, in order. */
  texts: Uint8Array[];
  /** Length of the decoded samples. */
  bytes: number;
}

const RAW = /^audio\/l16\s*(?:;|$)/i;
const RATE = 24_000;
/** Characters that are decoded in one step, into a buffer that all calls share. */
const SCRATCH_TEXT = 16 * 1024;
const scratch = Buffer.alloc((SCRATCH_TEXT / 4) * 3);
const STEPS_PER_TURN = 16;
/** Shorter audio may not be speech (audio-events.ts). */
const MIN_BYTES = 4_096;
/** Characters of base64url, which Node's decoder accepts, but a caller's decoder may not. */
const MINUS = 0x2d;
const UNDERSCORE = 0x5f;

/** The audio of a parsed reply; null when `pcmOf` has to read it. */
export async function base64Of(message: Fields): Promise<Base64Audio | null> {
  const data = onlyAudio(message);
  if (data === null) return null;
  const texts = [...data.pieces()];
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const end = lastCharacters(texts);
  // The decoder would accept missing padding, and unused bits after the last byte that are not zero.
  if (characters % 4 !== 0 || Buffer.from(end, "base64").toString("base64") !== end) return null;
  const bytes = (characters / 4) * 3 - (end.endsWith("==") ? 2 : end.endsWith("=") ? 1 : 0);
  if (bytes < MIN_BYTES || bytes % 2 !== 0 || !isRaw(texts[0])) return null;
  return (await decodedBytes(texts)) === bytes ? { texts, bytes } : null;
}

function onlyAudio(message: Fields): LongString | null {
  const blobs = usedParts(message)
    .map(blobOf)
    .filter((blob) => blob !== null);
  const [blob] = blobs;
  if (blobs.length !== 1 || blob === undefined) return null;
  const type = mediaTypeOf(blob);
  const data = asBase64(blob.data);
  const isForwardable = RAW.test(type) && (rateOf(type) ?? RATE) === RATE && isMono(type);
  return isForwardable && data instanceof LongString ? data : null;
}

/** Up to four characters at the end of the text. */
function lastCharacters(texts: readonly Uint8Array[]): string {
  return Buffer.concat(texts.slice(-2).map((text) => text.subarray(-4)))
    .toString("latin1")
    .slice(-4);
}

/** True for audio that begins with samples; false for a file, or for audio that `pcmOf` refuses. */
function isRaw(first: Uint8Array = new Uint8Array()): boolean {
  const characters = 4 * Math.ceil(HEAD_BYTES / 3);
  const head = Buffer.from(Buffer.from(first.subarray(0, characters)).toString("latin1"), "base64");
  if (head.length < HEAD_BYTES) return false;
  try {
    // No samples come from a file's header, or while more bytes are needed to recognise the format.
    return new AudioReader(RATE).push(head).length > 0;
  } catch {
    return false;
  }
}

/**
 * Decodes the text only to count its bytes: fewer than its length implies if a character is invalid, -1 for base64url.
 */
async function decodedBytes(texts: readonly Uint8Array[]): Promise<number> {
  let bytes = 0;
  let rest = "";
  let steps = 0;
  for (const piece of texts) {
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (text.includes(MINUS) || text.includes(UNDERSCORE)) return -1;
    for (let at = 0; at < text.length; ) {
      const to = Math.min(text.length, at + SCRATCH_TEXT - rest.length);
      const some = rest + text.toString("latin1", at, to);
      const whole = some.length - (some.length % 4);
      bytes += scratch.write(whole === some.length ? some : some.slice(0, whole), "base64");
      rest = some.slice(whole);
      at = to;
      steps += 1;
      if (steps % STEPS_PER_TURN === 0) await nextTurn();
    }
  }
  return bytes;
}
