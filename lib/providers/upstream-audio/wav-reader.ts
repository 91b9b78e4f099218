import { invalidAnswer, truncated } from "../outbound/failure";
import { MAX_SPEECH_BYTES } from "../upstream/provider";

/** The format of samples; all little-endian. */
export interface SampleShape {
  rate: number;
  channels: number;
  encoding: "u8" | "s16" | "s24" | "s32" | "f32";
}

const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
/** A file's or chunk's four-character ID, after the padding byte of a preceding chunk of odd size. */
const MARK_BYTES = 5;
/** Fewer bytes than this after the data chunk are skipped as padding: at 24 kHz, 1.3 ms of 16-bit mono samples. */
const AFTER_BYTES = 64;
const MAX_HEADER_BYTES = 64 * 1024;
const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

/** Writers that do not know the length yet write 0, 0xFFFFFFFF, or a size that no reply has. */
const isPlaceholder = (size: number): boolean => size === 0 || size > MAX_SPEECH_BYTES;

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

/** Removes the header of a WAV file (RIFF, RF64 or BW64) as it arrives; unknown sizes are read to the end. */
export class WavReader {
  shape: SampleShape | null = null;
  #head: Uint8Array = new Uint8Array();
  /** Bytes of the data chunk still to come; infinite where the file does not say. */
  #left = Number.POSITIVE_INFINITY;
  /** True if `#left` may be too large, because the writer did not fill in the size of the file or of its data. */
  #mayBeShort = false;
  #inData = false;
  /** The first bytes after the data chunk, until they show what follows. */
  #after: Uint8Array = new Uint8Array();
  #hasEnded = false;

  /**
   * The sample bytes in `bytes`; chunks after the data chunk are left out. Throws `upstream_invalid` for a second file
   * right after it.
   */
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
    if (!this.#inData || (this.#left > 0 && !this.#mayBeShort)) throw truncated();
  }

  #takeData(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, Math.min(bytes.length, this.#left));
    this.#left -= taken.length;
    if (taken.length === bytes.length) return taken;
    const more = this.#takeAfter(bytes.subarray(taken.length));
    return more.length === 0 ? taken : Buffer.concat([taken, more]);
  }

  /**
   * Reads what follows the data chunk. Other chunks and a little padding are skipped; a second file is an error,
   * because its speech would be missing. Anything else is samples: the header stated the size of the first piece only.
   */
  #takeAfter(bytes: Uint8Array): Uint8Array {
    if (this.#hasEnded) return new Uint8Array();
    const after = Buffer.concat([this.#after, bytes]);
    this.#after = after;
    if (after.length < AFTER_BYTES) return new Uint8Array();
    this.#after = new Uint8Array();
    const mark = after.toString("latin1", 0, MARK_BYTES);
    if (/^\0?RIFF/.test(mark)) throw invalidAnswer("with several WAV files in one");
    this.#hasEnded = /^\0?[ -~]{4}/.test(mark);
    if (this.#hasEnded) return new Uint8Array();
    this.#left = Number.POSITIVE_INFINITY;
    this.#mayBeShort = true;
    return after;
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
        this.#left = isPlaceholder(size) ? Number.POSITIVE_INFINITY : size;
        this.#mayBeShort = isPlaceholder(size) || isPlaceholder(view.getUint32(4, true));
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
