import { Application, createEncoder, type OpusEncoderHandle } from "libopus-wasm";
import { EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from "mediabunny";
import { BITRATES_KBPS } from "../../ports/audio-encoder";
import { ByteSink } from "./byte-sink";
import type { EncoderSession } from "./session";

/** Complexity of libopus, from 0 to 10: 5 takes a quarter of the CPU time of the default, 10. */
const COMPLEXITY = 5;
const FRAME_SECONDS = 0.02;
const PAGE_SECONDS = 0.2;
/** Ogg Opus counts in 48 kHz samples, whatever the input's rate (RFC 7845 §4). */
const GRANULE_RATE = 48_000;

/** Opus in Ogg, 32 kbit/s, frames of 20 ms, a page every 200 ms; start and end are trimmed to the sample. */
export async function openOpus(sampleRate: 24_000): Promise<EncoderSession> {
  const encoder = await createEncoder({
    sampleRate,
    channels: 1,
    application: Application.Audio,
    bitrate: BITRATES_KBPS.opus * 1_000,
    complexity: COMPLEXITY,
  });
  const session = new OpusSession(encoder, sampleRate);
  await session.start();
  return session;
}

class OpusSession implements EncoderSession {
  readonly #lookahead: number;
  readonly #sink = new ByteSink();
  readonly #source = new EncodedAudioPacketSource("opus");
  readonly #output = new Output({
    format: new OggOutputFormat({ maximumPageDuration: PAGE_SECONDS }),
    target: this.#sink.target,
  });
  readonly #frame: Int16Array;
  #filled = 0;
  #samplesIn = 0;
  #packets = 0;

  constructor(
    private readonly encoder: OpusEncoderHandle,
    private readonly sampleRate: number,
  ) {
    this.#lookahead = encoder.getLookahead();
    this.#frame = new Int16Array(sampleRate * FRAME_SECONDS);
  }

  async start(): Promise<void> {
    this.#output.addAudioTrack(this.#source);
    await this.#output.start();
  }

  async push(samples: Int16Array): Promise<Uint8Array> {
    this.#samplesIn += samples.length;
    for (let offset = 0; offset < samples.length; ) {
      const count = Math.min(this.#frame.length - this.#filled, samples.length - offset);
      this.#frame.set(samples.subarray(offset, offset + count), this.#filled);
      this.#filled += count;
      offset += count;
      if (this.#filled === this.#frame.length) await this.#encodeFrame(FRAME_SECONDS);
    }
    return this.#sink.take();
  }

  async finish(): Promise<Uint8Array> {
    const size = this.#frame.length;
    // The decoder drops `lookahead` samples at the start, so as many must follow the last one.
    const total = this.#samplesIn + this.#lookahead;
    while (this.#packets * size < total) {
      await this.#encodeFrame(Math.min(size, total - this.#packets * size) / this.sampleRate);
    }
    await this.#output.finalize();
    return this.#sink.take();
  }

  async close(): Promise<void> {
    this.encoder.free();
    if (this.#output.state === "started") await this.#output.cancel();
  }

  async #encodeFrame(seconds: number): Promise<void> {
    const startsAt = this.#packets * FRAME_SECONDS;
    const packet = new EncodedPacket(this.encoder.encode(this.#frame), "key", startsAt, seconds);
    await this.#source.add(
      packet,
      this.#packets === 0 ? { decoderConfig: this.#decoderConfig() } : undefined,
    );
    this.#packets += 1;
    this.#filled = 0;
    this.#frame.fill(0);
  }

  #decoderConfig() {
    const preSkip = (this.#lookahead * GRANULE_RATE) / this.sampleRate;
    return {
      codec: "opus",
      sampleRate: GRANULE_RATE,
      numberOfChannels: 1,
      description: identificationHeader(this.sampleRate, preSkip),
    };
  }
}

/** OpusHead (RFC 7845 §5.1): version 1, one channel, no gain, mapping family 0. */
function identificationHeader(inputSampleRate: number, preSkip: number): Uint8Array {
  const header = new Uint8Array(19);
  const view = new DataView(header.buffer);
  header.set(new TextEncoder().encode("OpusHead"));
  header[8] = 1;
  header[9] = 1;
  view.setUint16(10, preSkip, true);
  view.setUint32(12, inputSampleRate, true);
  return header;
}
