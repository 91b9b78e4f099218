import { Application, createEncoder } from "libopus-wasm";
import { EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from "mediabunny";
import { BITRATES_KBPS } from "../../ports/audio-encoder";
import { ByteSink } from "./byte-sink";
import type { EncoderSession } from "./session";

/** 8 sounds the same as the default 10 for speech; 5 would take a third of the time. */
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
  const frameSize = sampleRate * FRAME_SECONDS;
  const lookahead = encoder.getLookahead();
  const sink = new ByteSink();
  const source = new EncodedAudioPacketSource("opus");
  const output = new Output({
    format: new OggOutputFormat({ maximumPageDuration: PAGE_SECONDS }),
    target: sink.target,
  });
  output.addAudioTrack(source);
  await output.start();

  const decoderConfig = {
    codec: "opus",
    sampleRate: GRANULE_RATE,
    numberOfChannels: 1,
    description: identificationHeader(sampleRate, (lookahead * GRANULE_RATE) / sampleRate),
  };
  const frame = new Int16Array(frameSize);
  let filled = 0;
  let samplesIn = 0;
  let packets = 0;

  const encodeFrame = async (seconds: number) => {
    const packet = new EncodedPacket(encoder.encode(frame), "key", packets * FRAME_SECONDS, seconds);
    await source.add(packet, packets === 0 ? { decoderConfig } : undefined);
    packets += 1;
    filled = 0;
    frame.fill(0);
  };

  return {
    async push(samples) {
      samplesIn += samples.length;
      for (let offset = 0; offset < samples.length; ) {
        const count = Math.min(frameSize - filled, samples.length - offset);
        frame.set(samples.subarray(offset, offset + count), filled);
        filled += count;
        offset += count;
        if (filled === frameSize) await encodeFrame(FRAME_SECONDS);
      }
      return sink.take();
    },
    async finish() {
      // The decoder drops `lookahead` samples at the start, so as many must follow the last one.
      const total = samplesIn + lookahead;
      while (packets * frameSize < total) {
        await encodeFrame(Math.min(frameSize, total - packets * frameSize) / sampleRate);
      }
      await output.finalize();
      return sink.take();
    },
    async close() {
      encoder.free();
      if (output.state === "started") await output.cancel();
    },
  };
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
