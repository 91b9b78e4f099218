import { invalidAnswer, truncated } from "../outbound/failure";

/** The format of samples; all little-endian. */
export interface SampleShape {
  rate: number;
  channels: number;
  encoding: "u8" | "s16" | "s24" | "s32" | "f32";
}

const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
/** The mark of a file, after the padding of a chunk of odd size. */
const RIFF_AFTER_BYTES = 5;
const MAX_HEADER_BYTES = 64 * 1024;
const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** Writers that do not know the length yet write 0, 0xFFFFFFFF or the largest size they can. */
const ENDLESS_FROM = 0x7fff_f000;

const ENCODINGS: Readonly<Record<string, SampleShape["encoding"]>> = {
  [`${PCM}/8`]: "u8",
  [`${PCM}/16`]: "s16",
  [`${PCM}/24`]: "s24",
  [`${PCM}/32`]: "s32",
  [`${FLOAT}/32`]: "f32",
};

function readFormat(chunk: DataView): SampleShape {
  if (chunk.byteLength < 16) throw invalidAnswer("with a WAV header that is too short");
  const tag = chunk.getUint16(0, true);
  // The extensible form has the true tag in the first two bytes of a GUID.
  const format = tag === EXTENSIBLE && chunk.byteLength >= 26 ? chunk.getUint16(24, true) : tag;
  const encoding = ENCODINGS[`${format}/${chunk.getUint16(14, true)}`];
  const channels = chunk.getUint16(2, true);
  if (encoding === undefined || channels < 1 || channels > 8) {
    throw invalidAnswer("with a WAV encoding that is not PCM");
  }
  return { rate: chunk.getUint32(4, true), channels, encoding };
}

/** Removes the header of a WAV file (RIFF) as it arrives; unknown sizes are read to the end. */
export class WavReader {
  shape: SampleShape | null = null;
  #head: Uint8Array = new Uint8Array();
  /** Bytes of the data chunk still to come; infinite where the file does not say. */
  #left = Number.POSITIVE_INFINITY;
  #inData = false;
  /** The first bytes after the data chunk. */
  #after: Uint8Array = new Uint8Array();

  /** The sample bytes in `bytes`; data after the data chunk is left out. Throws `upstream_invalid` for a second file right after it. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.#inData) return this.#takeData(bytes);
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const at = this.#findData();
    if (at === null) {
      if (this.#head.length > MAX_HEADER_BYTES) throw invalidAnswer("with a WAV header that is too long");
      return new Uint8Array();
    }
    this.#inData = true;
    const data = this.#head.subarray(at);
    this.#head = new Uint8Array();
    return this.#takeData(data);
  }

  /** Throws `upstream_truncated` when the header or announced samples are missing. */
  end(): void {
    if (!this.#inData || (this.#left > 0 && this.#left !== Number.POSITIVE_INFINITY)) throw truncated();
  }

  #takeData(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, Math.min(bytes.length, this.#left));
    this.#left -= taken.length;
    if (taken.length < bytes.length) this.#checkAfter(bytes.subarray(taken.length));
    return taken;
  }

  /** Other chunks are left out, but not a second file: its speech would be missing. */
  #checkAfter(bytes: Uint8Array): void {
    if (this.#after.length >= RIFF_AFTER_BYTES) return;
    this.#after = Buffer.concat([this.#after, bytes.subarray(0, RIFF_AFTER_BYTES)]);
    if (/^\0?RIFF/.test(Buffer.from(this.#after).toString("latin1")))
      throw invalidAnswer("with several WAV files in one");
  }

  /** Where the samples begin; null while the header is incomplete. */
  #findData(): number | null {
    const head = this.#head;
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    let at = RIFF_HEADER;
    while (at + CHUNK_HEADER <= head.length) {
      const id = view.getUint32(at);
      const size = view.getUint32(at + 4, true);
      const body = at + CHUNK_HEADER;
      if (id === 0x64617461 /* data */) {
        if (this.shape === null) throw invalidAnswer("with a WAV file without a format");
        this.#left = size === 0 || size >= ENDLESS_FROM ? Number.POSITIVE_INFINITY : size;
        return body;
      }
      if (body + size > head.length) return null;
      if (id === 0x666d7420 /* fmt */)
        this.shape = readFormat(new DataView(head.buffer, head.byteOffset + body, size));
      // Chunks begin at even offsets.
      at = body + size + (size % 2);
    }
    return null;
  }
}
