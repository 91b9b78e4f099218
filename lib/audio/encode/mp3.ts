import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createEncoder } from "wasm-media-encoders";
import { BITRATES_KBPS } from "../../ports/audio-encoder";
import type { EncoderSession } from "./session";

let compiled: Promise<WebAssembly.Module> | undefined;

/** LAME, compiled once per thread; creating an encoder then takes about a millisecond. */
function lame(): Promise<WebAssembly.Module> {
  compiled ??= readFile(createRequire(import.meta.url).resolve("wasm-media-encoders/wasm/mp3")).then(
    (bytes) => WebAssembly.compile(bytes),
  );
  // If the file could not be read, the next encoder reads it again.
  compiled.catch(() => {
    compiled = undefined;
  });
  return compiled;
}

/** MPEG-2 layer III at a constant 96 kbit/s, frames of 24 ms, without a Xing header (its length is not known yet). */
export async function openMp3(sampleRate: number): Promise<EncoderSession> {
  const encoder = await createEncoder("audio/mpeg", await lame());
  encoder.configure({ sampleRate, channels: 1, bitrate: BITRATES_KBPS.mp3 });
  return {
    async push(samples) {
      // The encoder returns a view into its own memory, which its next call overwrites.
      return encoder.encode([toFloat(samples)]).slice();
    },
    async finish() {
      return encoder.finalize().slice();
    },
    async close() {},
  };
}

function toFloat(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) floats[i] = (samples[i] ?? 0) / 32_768;
  return floats;
}
