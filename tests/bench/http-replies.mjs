/** Splits what a connection receives into HTTP/1.1 replies, cheaply: bodies are counted, and joined only on request. */

const NONE = Buffer.alloc(0);

export class HttpReplies {
  #onReply;
  /** Bytes that do not make up a whole header yet. */
  #rest = NONE;
  /** What comes next: the "head", a chunk's "size", or "bytes". */
  #next = "head";
  #status = 0;
  #parts = [];
  #length = 0;
  /** Bytes still to come of the body or chunk, and of the CRLF after a chunk. */
  #left = 0;
  #crlf = 0;
  #isLast = true;

  /** `onReply` gets `{status, length, body()}` when a reply is whole. */
  constructor(onReply) {
    this.#onReply = onReply;
  }

  push(received) {
    let data = this.#rest.length === 0 ? received : Buffer.concat([this.#rest, received]);
    this.#rest = NONE;
    while (data.length > 0) {
      const after = this.#next === "bytes" ? this.#takeBytes(data) : this.#takeHeader(data);
      if (after === null) {
        this.#rest = data;
        return;
      }
      data = after;
    }
  }

  #takeHeader(data) {
    const mark = this.#next === "head" ? "\r\n\r\n" : "\r\n";
    const end = data.indexOf(mark);
    if (end === -1) return null;
    const header = data.latin1Slice(0, end);
    if (this.#next === "size") this.#expectChunk(Number.parseInt(header, 16));
    else this.#expectBody(header);
    return data.subarray(end + mark.length);
  }

  #expectBody(head) {
    this.#status = Number(head.slice(9, 12));
    if (/\r\ntransfer-encoding: chunked/i.test(head)) {
      this.#next = "size";
      return;
    }
    this.#next = "bytes";
    this.#isLast = true;
    this.#crlf = 0;
    this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#left === 0) this.#finish();
  }

  #expectChunk(size) {
    this.#next = "bytes";
    this.#isLast = size === 0;
    this.#left = size;
    this.#crlf = 2;
  }

  #takeBytes(data) {
    const bytes = Math.min(this.#left, data.length);
    if (bytes > 0) this.#parts.push(data.subarray(0, bytes));
    this.#length += bytes;
    this.#left -= bytes;
    const skipped = Math.min(this.#crlf, data.length - bytes);
    this.#crlf -= skipped;
    if (this.#left + this.#crlf === 0) {
      if (this.#isLast) this.#finish();
      else this.#next = "size";
    }
    return data.subarray(bytes + skipped);
  }

  #finish() {
    const parts = this.#parts;
    this.#next = "head";
    this.#parts = [];
    const reply = { status: this.#status, length: this.#length, body: () => Buffer.concat(parts) };
    this.#length = 0;
    this.#onReply(reply);
  }
}
