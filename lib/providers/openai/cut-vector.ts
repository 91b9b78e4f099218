import { isAscii } from "node:buffer";

/**
 * Parses a reply with one base64 vector without its longest part. The vector's text is most of such a reply: as a string
 * it would be copied, parsed, decoded and encoded again; as bytes it is decoded once and forwarded unchanged.
 * `parseJson` of the whole reply is the oracle of its test.
 */
interface CutReply {
  /** The parsed reply; `CUT` is where the text was. */
  answer: unknown;
  base64: Uint8Array;
}

export const CUT = "\u0000 vector";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BEFORE = Buffer.from('"embedding":');
const IN_PLACE = JSON.stringify(CUT);

/** Null when the reply has no such text, or is not plain JSON around it. */
export function cutVector(bytes: Uint8Array): CutReply | null {
  const reply = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const key = reply.indexOf(BEFORE);
  if (key === -1) return null;
  let start = key + BEFORE.length;
  while (reply[start] === 0x20) start += 1;
  if (reply[start] !== QUOTE) return null;
  const end = reply.indexOf(QUOTE, start + 1);
  if (end === -1) return null;
  const base64 = reply.subarray(start + 1, end);
  // Some servers escape slashes; an escaped quote would end the text too early.
  if (base64.includes(BACKSLASH)) return null;
  const head = reply.subarray(0, start);
  const tail = reply.subarray(end + 1);
  if (!isAscii(head) || !isAscii(tail)) return null;
  try {
    const answer: unknown = JSON.parse(head.toString("latin1") + IN_PLACE + tail.toString("latin1"));
    return { answer, base64 };
  } catch {
    return null;
  }
}
