import type { Socket } from "node:net";
import { errors } from "undici";

const LF = 0x0a;
const CR = 0x0d;
const DIGIT_TWO = 0x32;
/** Position of the status code in `HTTP/1.1 100 Continue`. */
const CODE_AT = 9;
const CODE_END = 12;
/** Most bytes of heads before the final status code; a server that sends `102 Processing` every second stays far below. */
const MAX_INFORMATIONAL_BYTES = 64 * 1024;

/** Reads response heads byte by byte up to the first status code that is not 1xx. */
class HeadReader {
  /** True once the final status code was seen, or the data is not HTTP. */
  isDone = false;
  /** Bytes read so far. */
  bytes = 0;
  #at = 0;
  #column = 0;
  #code = "";

  /** Changes each status code 100 in `bytes` to 102. */
  read(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length && !this.isDone; i += 1) {
      const byte = bytes[i] ?? 0;
      this.bytes += 1;
      if (this.#at >= CODE_AT && this.#at < CODE_END) this.#code += String.fromCharCode(byte);
      this.#at += 1;
      if (this.#at === CODE_END) {
        this.isDone = !this.#code.startsWith("1");
        if (this.#code === "100") bytes[i] = DIGIT_TWO;
      }
      if (byte === LF) this.#endLine();
      else if (byte !== CR) this.#column += 1;
    }
  }

  /** An empty line ends a head; the next byte begins another. */
  #endLine(): void {
    if (this.#column === 0) {
      this.#at = 0;
      this.#code = "";
    }
    this.#column = 0;
  }
}

/**
 * Lets undici read past `100 Continue`. A client must skip informational responses before the final one, even those it
 * did not ask for (RFC 9110 §15.2). undici skips every 1xx except 100, for which it destroys the socket, so it gets 102
 * (Processing) instead, which has the same length. Bodies are not inspected: reading stops at the final status code and
 * begins again when the next request has been written. undici limits the size of each head but not their number, so a
 * server that sends them without end is disconnected.
 */
export function acceptContinue(socket: Socket): void {
  const push = socket.push.bind(socket);
  let written = 0;
  let head = new HeadReader();
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      head = new HeadReader();
    }
    if (!head.isDone && chunk instanceof Uint8Array) head.read(chunk);
    if (!head.isDone && head.bytes > MAX_INFORMATIONAL_BYTES) {
      socket.destroy(new errors.HeadersOverflowError());
      return false;
    }
    return push(chunk, encoding);
  };
}
