import { isUtf8 } from "node:buffer";
import { MAX_TOKENS_PER_REQUEST } from "../../contracts/gateway/openai/embeddings";
import { AppError } from "../../errors";
import { runAtOnce } from "../../ports/run-in-slices";

/** Shape limits of a JSON body. */
export interface JsonLimits {
  maxDepth: number;
  maxKeys: number;
  maxArrayItems: number;
  /** In all lists and objects together: millions of empty lists in a few megabytes would block the event loop. */
  maxValues: number;
}

export const JSON_LIMITS: JsonLimits = {
  maxDepth: 64,
  // 10,000 contents of up to seven keys each, and the request's own.
  maxKeys: 70_100,
  maxArrayItems: 10_000,
  maxValues: 100_000,
};

/** The limits of an embeddings request, whose input may be a list of token IDs. */
const TOKEN_JSON_LIMITS: JsonLimits = {
  ...JSON_LIMITS,
  maxArrayItems: MAX_TOKENS_PER_REQUEST,
  maxValues: 400_000,
};

export function jsonLimitsOf({ operation }: { operation: string | null }): JsonLimits {
  return operation === "embeddings" ? TOKEN_JSON_LIMITS : JSON_LIMITS;
}

export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Space, tab, line feed and carriage return. */
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Digits up to which every integer is safe. */
const SAFE_DIGITS = 15;

function refuse(message: string): AppError {
  return new AppError("invalid", message);
}

/**
 * The end of the number that begins at `start`. Throws for an integer, written without point and exponent, that
 * JavaScript would silently round, and for a number that it would read as infinite.
 */
function scanNumber(bytes: Uint8Array, start: number): number {
  let end = start;
  let isPlain = true;
  for (; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0;
    if (byte === 0x2e || byte === 0x65 || byte === 0x45) isPlain = false;
    else if (!((byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b)) break;
  }
  if (end - start <= SAFE_DIGITS && isPlain) return end;
  // Only digits, signs, point and exponent: a longer run is a number, or broken JSON that the parser rejects.
  const value = Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1"));
  if (isPlain && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw refuse("The body has an integer beyond 2^53 - 1, which loses precision.");
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw refuse("The body has a number that is too large.");
  return end;
}

/** The closing quote of the string that begins at `start`; notes a `\u` escape in `found`. */
function scanString(bytes: Uint8Array, start: number, found: { hasUnicodeEscape: boolean }): number {
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== 0x22; at++) {
    if (bytes[at] !== 0x5c) continue;
    at++;
    if (bytes[at] === 0x75) found.hasUnicodeEscape = true;
  }
  return at;
}

/** The first key that valid JSON has twice in one object; empty if there is none. Linear. */
function findDuplicateKey(bytes: Uint8Array): string {
  const keysAt: Set<string>[] = [];
  const ignored = { hasUnicodeEscape: false };
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x7b) keysAt.push(new Set());
    else if (bytes[at] === 0x7d) keysAt.pop();
    if (bytes[at] !== 0x22) continue;
    const start = at;
    at = scanString(bytes, start, ignored);
    let next = at + 1;
    while (WHITE_SPACE.has(bytes[next] ?? 0)) next++;
    if (bytes[next] !== 0x3a) continue;
    const quoted = Buffer.from(bytes.buffer, bytes.byteOffset + start, at + 1 - start).toString("utf8");
    const key = String(JSON.parse(quoted));
    if (keysAt.at(-1)?.has(key)) return key;
    keysAt.at(-1)?.add(key);
  }
  return "";
}

/** Checks depth, elements, values, keys and numbers in one linear pass, which may pause. */
class Scan {
  keys = 0;
  hasUnicodeEscape = false;
  #at = 0;
  #depth = 0;
  #values = 0;
  readonly #commas: number[] = [];
  readonly #isArray: boolean[] = [];
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;

  constructor(bytes: Uint8Array, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /**
   * Scans about `count` more bytes; returns false at the end of the body. Throws `invalid` as soon as a limit is
   * exceeded.
   */
  read(count: number): boolean {
    const bytes = this.#bytes;
    const limits = this.#limits;
    const end = Math.min(bytes.length, this.#at + count);
    let at = this.#at;
    for (; at < end; at++) {
      switch (bytes[at]) {
        case 0x22: // "
          at = scanString(bytes, at, this);
          break;
        case 0x5b: // [
        case 0x7b: // {
          if (++this.#depth > limits.maxDepth)
            throw refuse(`The body is nested deeper than ${limits.maxDepth} levels.`);
          this.#countValue();
          this.#commas[this.#depth] = 0;
          this.#isArray[this.#depth] = bytes[at] === 0x5b;
          break;
        case 0x5d: // ]
        case 0x7d: // }
          if (this.#depth > 0) this.#depth--;
          break;
        case 0x2c: // ,
          this.#countItem();
          break;
        case 0x3a: // :
          if (++this.keys > limits.maxKeys) throw refuse(`The body has more than ${limits.maxKeys} keys.`);
          break;
        case 0x2d: // -
        case 0x30:
        case 0x31:
        case 0x32:
        case 0x33:
        case 0x34:
        case 0x35:
        case 0x36:
        case 0x37:
        case 0x38:
        case 0x39:
          at = scanNumber(bytes, at) - 1;
          break;
      }
    }
    this.#at = at;
    return at < bytes.length;
  }

  #countItem(): void {
    const items = (this.#commas[this.#depth] ?? 0) + 2;
    this.#commas[this.#depth] = items - 1;
    if (this.#isArray[this.#depth] === true && items > this.#limits.maxArrayItems)
      throw refuse(`The body has a list of more than ${this.#limits.maxArrayItems} elements.`);
    this.#countValue();
  }

  #countValue(): void {
    if (++this.#values > this.#limits.maxValues)
      throw refuse(`The body has more than ${this.#limits.maxValues} values in its lists and objects.`);
  }
}

function checkText(text: string): void {
  if (text.includes("\0")) throw refuse("The body has a NUL character in a string.");
  if (LONE_SURROGATE.test(text)) throw refuse("The body has half of a surrogate pair in a string.");
}

/** Counts the keys of a parsed value and checks keys and text after unescaping. */
function checkAndCountKeys(value: unknown, checksText: boolean): number {
  if (typeof value === "string") {
    if (checksText) checkText(value);
    return 0;
  }
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== "number") count += checkAndCountKeys(item, checksText);
    return count;
  }
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw refuse(`The body has a key named '${key}'.`);
    if (checksText) checkText(key);
    count += 1 + checkAndCountKeys(member, checksText);
  }
  return count;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8's message quotes the body; only the position is passed on.
    const at = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    throw refuse(
      `The body is not valid JSON${at === undefined ? "" : ` (near character ${Number(at) + 1})`}.`,
    );
  }
}

/** Bytes that are scanned in one step: about a millisecond's work. */
const BYTES_PER_STEP = 128 * 1024;

/**
 * `readJsonObject` in steps, so that a large body delays other calls less. Decoding and parsing are a single step,
 * since only one body at a time may take several times its memory (`createBodyMemory`).
 */
export function* readJsonInSteps(
  bytes: Uint8Array,
  limits: JsonLimits = JSON_LIMITS,
): Generator<void, Record<string, unknown>, void> {
  if (bytes.length === 0) throw refuse("The body is empty; send a JSON object.");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw refuse("The body begins with a byte order mark; send plain UTF-8.");
  const scan = new Scan(bytes, limits);
  while (scan.read(BYTES_PER_STEP)) yield;
  yield;
  if (!isUtf8(bytes)) throw refuse("The body is not UTF-8.");
  const value = parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse("The body must be a JSON object.");
  // The parser drops the first of two equal keys, so a body with duplicates has fewer keys than colons.
  if (checkAndCountKeys(value, scan.hasUnicodeEscape) !== scan.keys)
    throw refuse(`The body has the key '${findDuplicateKey(bytes).slice(0, 100)}' twice in one object.`);
  // Neither an array nor null, checked above.
  return value as Record<string, unknown>;
}

/**
 * Parses the bytes of a body as a JSON object, strictly: UTF-8 without a byte order mark, one document, no duplicate
 * keys, no `__proto__`, `constructor` or `prototype`, no NUL, no lone surrogate, no integer that loses precision,
 * within `limits`. Linear in the body's length. Throws AppError `invalid`.
 */
export function readJsonObject(bytes: Uint8Array, limits: JsonLimits = JSON_LIMITS): Record<string, unknown> {
  return runAtOnce(readJsonInSteps(bytes, limits));
}
