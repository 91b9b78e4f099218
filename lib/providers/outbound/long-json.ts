import { nextTurn } from "../../ports/run-in-slices";
import { BLOCK_BYTES, ByteBlocks } from "./byte-blocks";
import { invalidAnswer } from "./failure";
import { asText, decodeBase64, withoutMark } from "./json";

/** Strings of at least this many bytes are cut out of a long text before it is parsed. */
const LONG_STRING = 1024;
/** Limit of a text without its long strings: as much as JSON.parse reads in some 10 ms. */
const MAX_PARSED_BYTES = 2 * 1024 * 1024;
const BLOCKS_PER_TURN = 16;
/** Pieces of decoded base64 between turns of the event loop. */
const PIECES_PER_TURN = 2;
/**
 * Prefix of a placeholder; the index of its long string follows. If an upstream sends such a text itself, one of its
 * own long strings replaces it: nothing worse can happen.
 */
const PLACEHOLDER_PREFIX = "patchbay-long-string:";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** One escape of a JSON string (RFC 8259 §7), and one that is incomplete at the end of a text. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;
const BEGUN_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;

/** A string of a JSON text, kept as its bytes between the quotes, including escapes. */
export class LongString {
  readonly #text: ByteBlocks;
  readonly #from: number;
  readonly #to: number;

  constructor(text: ByteBlocks, from: number, to: number) {
    this.#text = text;
    this.#from = from;
    this.#to = to;
  }

  pieces(): Generator<Uint8Array> {
    return this.#text.pieces(this.#from, this.#to);
  }

  hasEscapes(): boolean {
    for (const piece of this.pieces()) {
      // Buffer's search is several times faster than Uint8Array's.
      if (Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).includes(BACKSLASH)) return true;
    }
    return false;
  }
}

/**
 * The value of a JSON text of any length, without blocking other work: in a text above 64 KiB every string of 1 KiB or
 * more becomes a `LongString`. Undefined for invalid JSON. Throws `upstream_invalid` for invalid UTF-8 and for more
 * than 2 MiB besides the long strings.
 */
export async function readJson(text: ByteBlocks): Promise<unknown> {
  const long: LongString[] = [];
  const short = text.length > BLOCK_BYTES ? await cutLongStrings(text, long) : text;
  if (short === null) return undefined;
  if (short.length > MAX_PARSED_BYTES) throw invalidAnswer("with too much JSON besides its audio");
  const restore = (_key: string, value: unknown): unknown =>
    typeof value === "string" && value.startsWith(PLACEHOLDER_PREFIX)
      ? (long[Number(value.slice(PLACEHOLDER_PREFIX.length))] ?? value)
      : value;
  const words = withoutMark(short.text());
  try {
    return JSON.parse(words, long.length === 0 ? undefined : restore);
  } catch {
    return undefined;
  }
}

/**
 * A copy of `text` with a placeholder for each long string, which is added to `long`; null when a string has no end.
 */
async function cutLongStrings(text: ByteBlocks, long: LongString[]): Promise<ByteBlocks | null> {
  const short = new ByteBlocks();
  let copied = 0;
  const copyTo = (end: number): void => {
    for (const piece of text.pieces(copied, end)) short.append(piece);
  };
  const scan = stringScanner((from, to) => {
    if (to - from < LONG_STRING) return;
    copyTo(from);
    short.append(Buffer.from(`${PLACEHOLDER_PREFIX}${long.length}`));
    long.push(new LongString(text, from, to));
    copied = to;
  });
  let blocks = 0;
  let isWhole = true;
  for (const block of text.pieces()) {
    isWhole = scan(Buffer.from(block.buffer, block.byteOffset, block.byteLength));
    blocks += 1;
    if (blocks % BLOCKS_PER_TURN === 0) await nextTurn();
  }
  if (!isWhole) return null;
  copyTo(text.length);
  return short;
}

/**
 * Finds the strings of a JSON text, block by block: `onString` gets the begin and end of each, without its quotes. The
 * scanner returns false while a string is open. A byte is searched at most twice, whatever the text.
 */
function stringScanner(onString: (from: number, to: number) => void): (block: Buffer) => boolean {
  let before = 0;
  let start = 0;
  let isInString = false;
  let isEscaped = false;
  return (block) => {
    const next = (byte: number, from: number): number => {
      const found = block.indexOf(byte, from);
      return found < 0 ? block.length : found;
    };
    let quote = next(QUOTE, 0);
    let backslash = next(BACKSLASH, 0);
    for (let at = 0; ; ) {
      if (isEscaped && at < block.length) {
        isEscaped = false;
        at += 1;
      }
      if (quote < at) quote = next(QUOTE, at);
      if (backslash < at) backslash = next(BACKSLASH, at);
      const stop = isInString ? Math.min(quote, backslash) : quote;
      if (stop >= block.length) break;
      at = stop + 1;
      if (stop !== quote) {
        isEscaped = true;
        continue;
      }
      if (isInString) onString(start, before + stop);
      isInString = !isInString;
      start = before + at;
    }
    before += block.length;
    return !isInString;
  };
}

/** A non-empty string to be decoded as base64, parsed normally or cut out; null for anything else. */
export function asBase64(value: unknown): string | LongString | null {
  return value instanceof LongString ? value : asText(value);
}

/**
 * Decodes standard base64 in pieces, of which every one but the last has an even number of bytes (whole 16-bit
 * samples). Between the pieces of a long string other work runs. Throws `upstream_invalid` for an invalid or missing
 * character.
 */
export async function* decodedBase64(value: string | LongString): AsyncGenerator<Uint8Array> {
  if (typeof value === "string") {
    yield decodeBase64(value);
    return;
  }
  let pieces = 0;
  for (const bytes of value.hasEscapes() ? escapedBase64(value) : plainBase64(value)) {
    yield bytes;
    pieces += 1;
    if (pieces % PIECES_PER_TURN === 0) await nextTurn();
  }
}

/** Decodes base64 without JSON escapes, as most upstreams send it, without joining it into one string. */
function* plainBase64(value: LongString): Generator<Uint8Array> {
  // Padding can only be in the last characters, which are decoded at the end.
  let rest = "";
  for (const piece of value.pieces()) {
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const whole = wholeGroups(rest.length + text.length);
    if (whole === 0) {
      rest += text.toString("latin1");
      continue;
    }
    const end = whole - rest.length;
    const begin = rest === "" ? 0 : GROUP - rest.length;
    const bytes = Buffer.allocUnsafeSlow((whole / 4) * 3);
    let length = rest === "" ? 0 : bytes.write(rest + text.toString("latin1", 0, begin), "base64");
    length += bytes.write(text.toString("latin1", begin, end), length, "base64");
    if (length !== bytes.length) throw invalidAnswer("with invalid base64");
    rest = text.toString("latin1", end);
    yield bytes;
  }
  yield decodeBase64(rest);
}

/** Base64 characters that decode to whole bytes and to whole 16-bit samples: 8 characters are 6 bytes, or 3 samples. */
const GROUP = 8;

/**
 * How many of the characters to decode now: whole groups, leaving 1 to 8 characters for the end, where padding may be.
 */
function wholeGroups(characters: number): number {
  return Math.max(0, Math.floor((characters - 1) / GROUP) * GROUP);
}

function* escapedBase64(value: LongString): Generator<Uint8Array> {
  let text = "";
  for (const piece of value.pieces()) {
    text += Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
    // JSON.parse, given one escape in quotes, returns its character.
    text = text.replace(ESCAPE, (one) => JSON.parse(`"${one}"`) as string);
    const begun = BEGUN_ESCAPE.exec(text)?.[0] ?? "";
    const whole = wholeGroups(text.length - begun.length);
    if (whole === 0) continue;
    const bytes = decodeBase64(text.slice(0, whole));
    if (bytes.length !== (whole / 4) * 3) throw invalidAnswer("with invalid base64");
    text = text.slice(whole);
    yield bytes;
  }
  yield decodeBase64(text);
}
