import { encodePcm16 } from "../../audio/pcm";
import { Resampler } from "../../audio/resample";
import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { invalidAnswer, truncated } from "../outbound/failure";
import type { SampleShape } from "./wav-reader";

/** The only accepted rates: the filter of another one could be of any size. */
const RATES: ReadonlySet<number> = new Set([
  8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
]);

const SAMPLE_BYTES = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4 } as const;

const READ = {
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
export class SpeechSamples {
  readonly #shape: SampleShape;
  readonly #frameBytes: number;
  readonly #resampler: Resampler | null;
  #rest: Uint8Array = new Uint8Array();

  constructor(shape: SampleShape) {
    if (!RATES.has(shape.rate)) throw invalidAnswer(`with audio at ${shape.rate} Hz, which is not supported`);
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
    const read = READ[encoding];
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
