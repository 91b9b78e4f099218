import { isUtf8 } from "node:buffer";
import { nextTurn } from "../../ports/run-in-slices";
import { ByteBlocks } from "./byte-blocks";
import { invalidAnswer } from "./failure";

export interface ServerSentEvent {
  /** `message` when the upstream gives none. */
  event: string;
  /** The values of its data lines, joined with a line feed. */
  data: ByteBlocks;
}

/** Bytes of data in one event: 24 MiB of audio in base64, over eight minutes. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;
/** Longer than the name of any field that is read. */
const MAX_NAME_BYTES = 64;
/**
 * Lines read in one turn of the event loop: a stream of blank lines must not delay other calls, or its own deadline.
 */
const LINES_PER_TURN = 512;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
/** First bytes of the fields data, event, id and retry, and of comments; no line of JSON begins with one of these. */
const FIELD_STARTS = Buffer.from("deir:");
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The events of a stream (WHATWG HTML §9.2.6), in time linear in its bytes, whatever the size of an event or of the
 * chunks it arrives in. Three differences from the standard: data after the last blank line is an event too, because
 * some servers leave that line out, and the caller can tell whether the event is complete; an event with empty data is
 * skipped, because some servers send it to keep the connection alive; lines from one that begins with a brace to the
 * next blank line or field are the data of an event, because Google ends a failed stream with plain JSON. Throws
 * `upstream_invalid` for an event over 32 MiB and for field or event names that are not UTF-8.
 */
export async function* serverSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = new EventReader();
  let isAfterCr = false;
  let lines = 0;
  for await (const piece of body) {
    // Buffer's search is several times faster than Uint8Array's.
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let lf = bytes.indexOf(LF);
    let cr = bytes.indexOf(CR);
    for (let at = 0; at < bytes.length; ) {
      if (lf >= 0 && lf < at) lf = bytes.indexOf(LF, at);
      if (cr >= 0 && cr < at) cr = bytes.indexOf(CR, at);
      const isSecondHalf = isAfterCr && lf === at;
      isAfterCr = false;
      if (isSecondHalf) {
        at += 1;
        continue;
      }
      const plain = reader.endPlain(bytes[at]);
      if (plain !== null) yield plain;
      const end = lf < 0 || cr < 0 ? Math.max(lf, cr) : Math.min(lf, cr);
      reader.add(bytes.subarray(at, end < 0 ? bytes.length : end));
      if (end < 0) break;
      isAfterCr = end === cr;
      at = end + 1;
      const event = reader.endLine();
      if (event !== null) yield event;
      lines += 1;
      if (lines % LINES_PER_TURN === 0) await nextTurn();
    }
  }
  const last = reader.end();
  if (last !== null) yield last;
}

/** The `[DONE]` with which OpenAI-compatible servers end a stream. */
export function isDoneMark(data: ByteBlocks): boolean {
  return data.length === 6 && data.text() === "[DONE]";
}

/** Parses lines, which may arrive in parts, into events. */
class EventReader {
  #isFirstLine = true;
  /** The field of the current line whose value is being read; undefined before the colon, null for an ignored field. */
  #field: "data" | "event" | null | undefined;
  #name: Buffer = Buffer.alloc(0);
  #isBeforeValue = false;
  /** True while reading JSON that has no field name before it. */
  #isPlain = false;
  /** The data of the current event; null without a data line. */
  #data: ByteBlocks | null = null;
  #event = new ByteBlocks();

  /** Completes the event of plain JSON if `next`, the first byte after it, begins a field; null otherwise. */
  endPlain(next = 0): ServerSentEvent | null {
    const isField = this.#isPlain && this.#field === undefined && FIELD_STARTS.includes(next);
    return isField ? this.#dispatch() : null;
  }

  /** A part of the current line, without its end. */
  add(part: Buffer): void {
    let value = part;
    if (part[0] === OPENING_BRACE && this.#isAtStart()) this.#isPlain = true;
    if (this.#isPlain && this.#field === undefined && part.length > 0) {
      this.#beginField("data");
      this.#isBeforeValue = false;
    }
    if (this.#field === undefined) {
      const colon = part.indexOf(COLON);
      const name = colon < 0 ? part : part.subarray(0, colon);
      if (this.#name.length < MAX_NAME_BYTES) this.#name = Buffer.concat([this.#name, name]);
      if (colon < 0) return;
      this.#beginField(this.#readName());
      value = part.subarray(colon + 1);
    }
    if (value.length === 0) return;
    if (this.#isBeforeValue && value[0] === SPACE) value = value.subarray(1);
    this.#isBeforeValue = false;
    if (this.#field === "data") this.#data?.append(value);
    if (this.#field === "event") this.#event.append(value);
    if ((this.#data?.length ?? 0) + this.#event.length > MAX_EVENT_BYTES)
      throw invalidAnswer("with an event that is too long");
  }

  /** The event that a blank line completes, if there is one. */
  endLine(): ServerSentEvent | null {
    const name = this.#field === undefined ? this.#readName() : "";
    const isBlank = this.#field === undefined && name === "";
    if (this.#field === undefined && !isBlank) this.#beginField(name);
    this.#field = undefined;
    this.#name = Buffer.alloc(0);
    this.#isFirstLine = false;
    return isBlank ? this.#dispatch() : null;
  }

  /** The event at the end of the stream. */
  end(): ServerSentEvent | null {
    return this.endLine() ?? this.#dispatch();
  }

  /** True before the first byte of an event. */
  #isAtStart(): boolean {
    return this.#field === undefined && this.#name.length === 0 && this.#data === null;
  }

  #readName(): string {
    const hasMark = this.#isFirstLine && this.#name.subarray(0, 3).equals(BYTE_ORDER_MARK);
    const name = hasMark ? this.#name.subarray(3) : this.#name;
    if (name.length < MAX_NAME_BYTES && !isUtf8(name)) throw invalidAnswer("with bytes that are not UTF-8");
    return name.toString();
  }

  #beginField(name: string): void {
    this.#field = name === "data" || name === "event" ? name : null;
    this.#isBeforeValue = true;
    if (name === "event") this.#event = new ByteBlocks();
    if (name !== "data") return;
    if (this.#data === null) this.#data = new ByteBlocks();
    else this.#data.append(Uint8Array.of(LF));
  }

  #dispatch(): ServerSentEvent | null {
    const data = this.#data;
    // Most events have no name, and a decoder costs more than the rest of a blank line.
    const event = this.#event.length === 0 ? "" : this.#event.text();
    this.#data = null;
    this.#event = new ByteBlocks();
    this.#isPlain = false;
    return data === null || data.length === 0 ? null : { event: event === "" ? "message" : event, data };
  }
}
