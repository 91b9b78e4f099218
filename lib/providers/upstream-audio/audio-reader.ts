import { encodePcm16 } from "../../audio/pcm";
import { Resampler } from "../../audio/resample";
import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { invalidAnswer, truncated } from "../outbound/failure";
import type { UpstreamReply } from "../outbound/request";
import { isCompressed } from "./compressed-audio";
import { type SampleShape, WavReader } from "./wav-reader";

/** The only accepted sample rates: the resampling filter for an arbitrary rate could be of any size. */
const ACCEPTED_RATES: ReadonlySet<number> = new Set([
  8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
]);

const SAMPLE_BYTES = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4 } as const;

const READ_SAMPLE = {
  u8: (view: DataView, at: number) => (view.getUint8(at) - 128) / 128,
  s16: (view: DataView, at: number) => view.getInt16(at, true) / 32_768,
  s24: (view: DataView, at: number) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 8_388_608,
  s32: (view: DataView, at: number) => view.getInt32(at, true) / 2_147_483_648,
  f32: (view: DataView, at: number) => view.getFloat32(at, true),
} as const;

const NOTHING = new Uint8Array();

/**
 * Converts samples of any format into 24 kHz mono s16le as they arrive. Throws `upstream_invalid` for an unusual rate.
 */
class SpeechSamples {
  readonly #shape: SampleShape;
  readonly #frameBytes: number;
  readonly #resampler: Resampler | null;
  #rest: Uint8Array = new Uint8Array();

  constructor(shape: SampleShape) {
    if (!ACCEPTED_RATES.has(shape.rate))
      throw invalidAnswer(`with audio at ${shape.rate} Hz, which is not supported`);
    this.#shape = shape;
    this.#frameBytes = SAMPLE_BYTES[shape.encoding] * shape.channels;
    this.#resampler =
      shape.rate === SPEECH_SAMPLE_RATE ? null : new Resampler(shape.rate, SPEECH_SAMPLE_RATE);
  }

  /** Returns the samples that `bytes` completes; may be empty. */
  push(bytes: Uint8Array): Uint8Array {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const whole = all.length - (all.length % this.#frameBytes);
    // A copy: a view would keep the whole chunk alive.
    this.#rest = whole === all.length ? NOTHING : Uint8Array.prototype.slice.call(all, whole);
    const frames = all.subarray(0, whole);
    const { encoding, channels } = this.#shape;
    if (encoding === "s16" && channels === 1 && this.#resampler === null) return frames;
    const samples = this.#read(frames);
    return encodePcm16(this.#resampler === null ? samples : this.#resampler.process(samples));
  }

  /** The last samples. Throws `upstream_truncated` when the audio ended inside one. */
  end(): Uint8Array {
    if (this.#rest.length > 0) throw truncated();
    return this.#resampler === null ? new Uint8Array() : encodePcm16(this.#resampler.flush());
  }

  #read(bytes: Uint8Array): Float32Array {
    const { encoding, channels } = this.#shape;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const read = READ_SAMPLE[encoding];
    const size = SAMPLE_BYTES[encoding];
    const samples = new Float32Array(bytes.length / this.#frameBytes);
    for (let frame = 0, at = 0; frame < samples.length; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel += 1, at += size) sum += read(view, at);
      const value = sum / channels;
      // A single NaN would stay in the resampler's state permanently.
      samples[frame] = Number.isFinite(value) ? value : 0;
    }
    return samples;
  }
}

/** First bytes of JSON and HTML, and of any ASCII text; speech begins near silence. */
const TEXT_START = /^(?:[{[]\s*["{]|<[!?a-zA-Z])[\x20-\x7e\s]{2}/;
const ASCII_TEXT = /^[\x20-\x7e\s]+$/;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;
const WAV_MARK = /^(?:RIFF|RF64|BW64)/;
/** Bytes at the start of a stream that show what it is. */
export const HEAD_BYTES = 32;

function isText(head: string): boolean {
  const text = head.replace(BYTE_ORDER_MARK, "");
  return TEXT_START.test(text.trimStart()) || ASCII_TEXT.test(text);
}

/** The sample rate in a media type (`audio/L16;codec=pcm;rate=24000`, `audio/pcm; rate=16000`). */
export function rateOf(mediaType: string): number | null {
  const [, rate] = /;\s*rate\s*=\s*"?(\d{1,6})\b/i.exec(mediaType) ?? [];
  return rate === undefined ? null : Number(rate);
}

/**
 * True unless a media type says that the samples have several channels (`audio/L16;rate=24000;channels=2`, RFC 2586).
 */
export function isMono(mediaType: string): boolean {
  return !/;\s*channels\s*=\s*"?(?!1\b)\d/i.test(mediaType);
}

/** Throws `upstream_invalid` for a media type that is neither raw mono samples nor WAV. */
export function checkAudioType(mediaType: string): void {
  const [type = ""] = mediaType.split(";");
  // The header of a WAV file states its channels.
  if (!/wav/i.test(type) && !isMono(mediaType)) throw invalidAnswer("with raw audio of several channels");
  const accepted =
    /^(?:|audio\/(?:l16|pcm|x-pcm|raw|basic-pcm|wav|x-wav|wave|vnd\.wave)|application\/octet-stream|binary\/octet-stream)$/i;
  if (accepted.test(type.trim())) return;
  const isAudio = /^audio\//i.test(type.trim());
  throw invalidAnswer(isAudio ? "with compressed audio instead of PCM or WAV" : "without audio");
}

/**
 * Reads one stream of audio, raw s16le of `rawRate` or a WAV file (recognised by its first bytes, whatever was
 * requested), as 24 kHz mono s16le. Throws `upstream_invalid` for compressed audio and for text, `upstream_truncated`
 * at the end of an incomplete file.
 */
export class AudioReader {
  readonly #rawRate: number;
  #head: Uint8Array = new Uint8Array();
  #wav: WavReader | null = null;
  #samples: SpeechSamples | null = null;
  #isRecognized = false;

  /** `rawRate` null: 24 kHz. */
  constructor(rawRate: number | null) {
    this.#rawRate = rawRate ?? SPEECH_SAMPLE_RATE;
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.#isRecognized) return this.#convert(bytes);
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    if (this.#head.length < HEAD_BYTES || isCompressed(this.#head) === null) return new Uint8Array();
    const head = this.#head;
    this.#recognize(false);
    // Release the first bytes, since the reader lives as long as the stream.
    this.#head = new Uint8Array();
    return this.#convert(head);
  }

  end(): Uint8Array {
    const early = this.#isRecognized || this.#head.length === 0 ? new Uint8Array() : this.#flushHead();
    this.#wav?.end();
    const late = this.#samples?.end() ?? new Uint8Array();
    return early.length === 0 ? late : Buffer.concat([early, late]);
  }

  #flushHead(): Uint8Array {
    this.#recognize(true);
    return this.#convert(this.#head);
  }

  #recognize(isWhole: boolean): void {
    this.#isRecognized = true;
    const head = Buffer.from(this.#head.subarray(0, HEAD_BYTES)).toString("latin1");
    if (isCompressed(this.#head, isWhole) === true)
      throw invalidAnswer("with compressed audio instead of PCM or WAV");
    if (WAV_MARK.test(head)) this.#wav = new WavReader();
    else if (isText(head)) throw invalidAnswer("without audio");
    else this.#samples = new SpeechSamples({ rate: this.#rawRate, channels: 1, encoding: "s16" });
  }

  #convert(bytes: Uint8Array): Uint8Array {
    if (this.#wav === null) return this.#samples?.push(bytes) ?? new Uint8Array();
    const data = this.#wav.push(bytes);
    const { shape } = this.#wav;
    if (shape === null) return new Uint8Array();
    this.#samples ??= new SpeechSamples(shape);
    return this.#samples.push(data);
  }
}

/** The samples of a reply, raw ones at `rawRate` unless its media type states another rate; null: 24 kHz. */
export async function* readAudio(
  { contentType, header, isDelimited, body }: UpstreamReply,
  rawRate: number | null,
): AsyncGenerator<Uint8Array> {
  const mediaType = header("content-type") ?? "";
  // Some upstreams label every format so (LiteLLM), or raw samples; the first bytes show what it is.
  if (contentType !== "audio/mpeg") checkAudioType(mediaType);
  // Without a length, a broken connection would look like the end of the speech.
  if (!isDelimited) throw invalidAnswer("with audio that has no Content-Length and is not chunked");
  const reader = new AudioReader(rateOf(mediaType) ?? rawRate);
  for await (const bytes of body) yield reader.push(bytes);
  yield reader.end();
}
