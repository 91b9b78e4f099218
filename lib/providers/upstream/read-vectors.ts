import { isAscii } from "node:buffer";
import { invalidAnswer } from "../outbound/failure";
import { parseJson } from "../outbound/json";
import { readVector } from "./embeddings";

/** A parsed reply in which each vector is replaced by its index in `texts`. */
interface CutReply {
  answer: unknown;
  /** Base64 without its quotes, or a list of numbers with its brackets. */
  texts: readonly Buffer[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/**
 * Parses a reply without its vectors, which are nearly all of its bytes. If the reply is parsed as one text, 2,048
 * vectors block the event loop for a tenth of a second, and a single vector is copied, parsed, decoded and encoded
 * again. `key`: the JSON key of a vector with its quotes and colon. A list ends at its first closing bracket; if it has
 * nested lists, the rest is not JSON. Null when the reply has no vector of this form, or is not ASCII JSON around the
 * vectors: the caller then parses the whole reply with `parseJson`.
 */
function* cutVectors(bytes: Uint8Array, key: string): Generator<void, CutReply | null, void> {
  const reply = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: Buffer[] = [];
  let rest = "";
  let from = 0;
  for (let at = reply.indexOf(key); at !== -1; at = reply.indexOf(key, from)) {
    let start = at + key.length;
    while (reply[start] === SPACE) start += 1;
    const isText = reply[start] === QUOTE;
    if (!isText && reply[start] !== OPENING_BRACKET) return null;
    const end = reply.indexOf(isText ? QUOTE : CLOSING_BRACKET, start + 1);
    if (end === -1) return null;
    const text = isText ? reply.subarray(start + 1, end) : reply.subarray(start, end + 1);
    // Some servers escape slashes; an escaped quote would end the text too early.
    if (isText && text.includes(BACKSLASH)) return null;
    const before = reply.subarray(from, start);
    if (!isAscii(before)) return null;
    rest += before.toString("latin1") + String(texts.length);
    texts.push(text);
    from = end + 1;
    yield;
  }
  const after = reply.subarray(from);
  if (texts.length === 0 || !isAscii(after)) return null;
  try {
    return { answer: JSON.parse(rest + after.toString("latin1")), texts };
  } catch {
    return null;
  }
}

/** Whether each vector of the reply was cut out, and nothing else. */
function isEveryVectorCut({ texts }: CutReply, vectors: readonly unknown[]): boolean {
  if (vectors.length !== texts.length) return false;
  const indices = new Set(vectors);
  return texts.every((_, index) => indices.has(index));
}

function readText(text: Buffer): Float32Array {
  const characters = text.toString("latin1");
  if (text[0] !== OPENING_BRACKET) return readVector(characters);
  try {
    return readVector(JSON.parse(characters));
  } catch (error) {
    throw error instanceof SyntaxError ? invalidAnswer("with data that is not JSON") : error;
  }
}

export interface ReadVectors {
  /** The parsed reply. The values of its vectors have no meaning. */
  answer: unknown;
  vectors: Float32Array[];
  /** The text of a single vector whose upstream sent canonical base64. */
  base64?: Buffer;
}

/**
 * Parses a reply with embeddings in steps. `key`: see `cutVectors`; `vectorsOf` returns the values of the vectors in
 * the order of their texts. Throws the errors of `vectorsOf` and `upstream_invalid`.
 */
export function* readVectors(
  bytes: Uint8Array,
  key: string,
  vectorsOf: (answer: unknown) => readonly unknown[],
): Generator<void, ReadVectors, void> {
  const cut = yield* cutVectors(bytes, key);
  const indices = cut === null ? [] : vectorsOf(cut.answer);
  if (cut === null || !isEveryVectorCut(cut, indices)) {
    const answer = parseJson(bytes);
    return { answer, vectors: vectorsOf(answer).map(readVector) };
  }
  const vectors: Float32Array[] = [];
  for (const index of indices) {
    const text = cut.texts[Number(index)];
    if (text !== undefined) vectors.push(readText(text));
    yield;
  }
  const [text] = cut.texts;
  const [vector] = vectors;
  const isSingle = vectors.length === 1 && text !== undefined && vector !== undefined;
  return isSingle && isCanonical(text, vector)
    ? { answer: cut.answer, vectors, base64: text }
    : { answer: cut.answer, vectors };
}

/** Whether this is the only base64 text of the vector: no padding, and not the alphabet of URLs. */
function isCanonical(text: Buffer, { byteLength }: Float32Array): boolean {
  return (
    text[0] !== OPENING_BRACKET &&
    byteLength % 3 === 0 &&
    text.length === (byteLength / 3) * 4 &&
    !text.includes("-") &&
    !text.includes("_")
  );
}
