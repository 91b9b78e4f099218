import { registerAacEncoder } from "@mediabunny/aac-encoder";
import { registerFlacEncoder } from "@mediabunny/flac-encoder";
import { AdtsOutputFormat, AudioSample, AudioSampleSource, FlacOutputFormat, Output } from "mediabunny";
import { BITRATES_KBPS } from "../../ports/audio-encoder";
import { ByteSink } from "./byte-sink";
import type { EncoderSession } from "./session";

registerAacEncoder();
registerFlacEncoder();

/**
 * AAC-LC in ADTS frames, 64 kbit/s; or FLAC, 16 bit, whose stream info states no length. Each encoder runs in its own
 * thread.
 */
export async function openAacOrFlac(format: "aac" | "flac", sampleRate: number): Promise<EncoderSession> {
  const sink = new ByteSink();
  const source = new AudioSampleSource(
    format === "aac" ? { codec: "aac", bitrate: BITRATES_KBPS.aac * 1_000 } : { codec: "flac" },
  );
  const output = new Output({
    format: format === "aac" ? new AdtsOutputFormat() : new FlacOutputFormat({ appendOnly: true }),
    target: sink.target,
  });
  output.addAudioTrack(source);
  await output.start();
  let samplesIn = 0;
  return {
    async push(samples) {
      const sample = new AudioSample({
        data: samples,
        format: "s16",
        numberOfChannels: 1,
        sampleRate,
        timestamp: samplesIn / sampleRate,
      });
      samplesIn += samples.length;
      try {
        await source.add(sample);
      } finally {
        sample.close();
      }
      return sink.take();
    },
    async finish() {
      await output.finalize();
      return sink.take();
    },
    async close() {
      if (output.state === "started") await output.cancel();
    },
  };
}
