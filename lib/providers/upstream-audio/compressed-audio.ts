/** Signatures of MP3 with ID3 tags, Ogg, FLAC, AMR and WebM; those of AIFF and MP4 have a length in or before them. */
const MARKS = ["ID3", "OggS", "fLaC", "#!AMR", "\x1aE\xdf\xa3"];
const LATER_MARK = /^(?:FORM.{4}AIF[FC]|.{4}ftyp)/s;

/**
 * MP3 and AAC frames have no signature, and PCM samples may look like one frame header (-1025, 25744). Three headers in
 * a row, each at the offset that the one before gives, have some 60 bits that samples would have to match.
 */
const FRAMES = 3;
const HEADER_BYTES = 6;

/** Bits that are the same in every header of a stream: ISO/IEC 11172-3 §2.4.1.3 and 13818-7 §6.2.1. */
const MP3_BITS = [0xff, 0xff, 0x0c, 0x03];
const ADTS_BITS = [0xff, 0xff, 0xff, 0xf0];

const MPEG_1_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG_2_KBPS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG_1_RATES = [44_100, 48_000, 32_000];

/** Size in bytes of the MPEG layer III frame with this header; null for any other header. */
function mp3Bytes([sync = 0, version = 0, rates = 0, mode = 0]: Uint8Array): number | null {
  // 0: MPEG 2.5, 2: MPEG 2, 3: MPEG 1.
  const id = (version >> 3) & 3;
  const isMpeg1 = id === 3;
  const kbps = (isMpeg1 ? MPEG_1_KBPS : MPEG_2_KBPS)[rates >> 4] ?? 0;
  const rate = (MPEG_1_RATES[(rates >> 2) & 3] ?? 0) / (isMpeg1 ? 1 : id === 2 ? 2 : 4);
  const isLayer3 = sync === 0xff && (version & 0xe6) === 0xe2 && id !== 1;
  // Usual headers have no emphasis, and a mode extension only in joint stereo.
  const isUsual = (mode & 3) === 0 && ((mode & 0xc0) === 0x40 || (mode & 0x30) === 0);
  if (!isLayer3 || !isUsual || kbps === 0 || rate === 0) return null;
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * kbps) / rate) + ((rates >> 1) & 1);
}

/** Size in bytes of the ADTS frame (AAC-LC) with this header; null for any other header. */
function adtsBytes([sync = 0, version = 0, profile = 0, a = 0, b = 0, c = 0]: Uint8Array): number | null {
  const isLc = sync === 0xff && (version & 0xf6) === 0xf0 && profile >> 6 === 1 && ((profile >> 2) & 15) < 13;
  const bytes = ((a & 3) << 11) | (b << 3) | (c >> 5);
  return isLc && bytes > HEADER_BYTES ? bytes : null;
}

function areFrames(
  head: Uint8Array,
  bytesOf: (header: Uint8Array) => number | null,
  same: readonly number[],
  isWhole: boolean,
): boolean | null {
  for (let frame = 0, at = 0; frame < FRAMES; frame += 1) {
    const header = head.subarray(at, at + HEADER_BYTES);
    if (header.length < HEADER_BYTES) return isWhole ? at === head.length : null;
    const bytes = bytesOf(header);
    if (bytes === null || same.some((bits, i) => (((header[i] ?? 0) ^ (head[i] ?? 0)) & bits) !== 0))
      return false;
    at += bytes;
  }
  return true;
}

/**
 * Whether a stream that begins with `head` is compressed; null if more of the stream is needed, at most 16 KiB.
 * `isWhole`: the stream ends after `head`, so fewer frames are enough if they fill it.
 */
export function isCompressed(head: Uint8Array, isWhole = false): boolean | null {
  const start = Buffer.from(head.subarray(0, 12)).toString("latin1");
  if (MARKS.some((mark) => start.startsWith(mark)) || LATER_MARK.test(start)) return true;
  if (head[0] !== 0xff) return false;
  const isAac = ((head[1] ?? 0) & 6) === 0;
  return isAac
    ? areFrames(head, adtsBytes, ADTS_BITS, isWhole)
    : areFrames(head, mp3Bytes, MP3_BITS, isWhole);
}
