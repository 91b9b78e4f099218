import { AppError } from "../../errors";
import type { AudioEncoder, AudioFormat } from "../../ports/audio-encoder";
import { wavHeader } from "../pcm";
import { EncoderThread } from "./encoder-thread";
import { type EncodedFormat, SAMPLE_RATE } from "./session";

/**
 * Most encoders at once. An MP3 (LAME) or Opus encoder takes at most 1 MB; one for AAC or FLAC takes a thread and 5 MB.
 */
const MAX_ENCODERS = { mp3: 256, opus: 256, aac: 16, flac: 16 } satisfies Record<EncodedFormat, number>;
/** Long chunks are encoded in blocks of 250 ms, so that no encoder delays the others. */
const PIECE_SAMPLES = SAMPLE_RATE / 4;
const IDLE_MS = 60_000;

/** `workerFile` is the bundle of encode.worker.ts. */
export function createAudioEncoder(options: { workerFile: URL; idleMs?: number }): AudioEncoder {
  const thread = new EncoderThread(options.workerFile, options.idleMs ?? IDLE_MS);
  const running = { mp3: 0, opus: 0, aac: 0, flac: 0 };

  /** Opens an encoder; stops `source` when it cannot start. */
  async function openFor(format: EncodedFormat, source: AsyncIterator<Uint8Array>) {
    try {
      return await thread.open(format);
    } catch (error) {
      await source.return?.();
      throw error;
    }
  }

  async function* inThread(format: EncodedFormat, pcm: AsyncIterable<Uint8Array>) {
    const source = pcm[Symbol.asyncIterator]();
    if (running[format] >= MAX_ENCODERS[format]) {
      await source.return?.();
      throw tooMany(format);
    }
    running[format] += 1;
    try {
      const session = await openFor(format, source);
      try {
        for await (const chunk of { [Symbol.asyncIterator]: () => source }) {
          for (const piece of sampleBlocks(chunk)) {
            const bytes = await session.push(piece);
            if (bytes.byteLength > 0) yield bytes;
          }
        }
        const rest = await session.finish();
        if (rest.byteLength > 0) yield rest;
      } finally {
        await session.close();
      }
    } finally {
      running[format] -= 1;
    }
  }

  return {
    encode: (format: AudioFormat, pcm) => {
      if (format === "pcm") return pcm;
      if (format === "wav") return withHeader(pcm);
      return inThread(format, pcm);
    },
    close: () => thread.end(),
  };
}

async function* withHeader(pcm: AsyncIterable<Uint8Array>) {
  let first = true;
  for await (const chunk of pcm) {
    // The header is sent with the first samples, so that an error before them still gets its own HTTP status.
    yield first ? Buffer.concat([wavHeader(SAMPLE_RATE, null), chunk]) : chunk;
    first = false;
  }
}

function* sampleBlocks(chunk: Uint8Array): Generator<Int16Array> {
  // An Int16Array needs an even offset, which a view of a larger buffer may not have. (`slice` of a Buffer is a view.)
  const aligned = chunk.byteOffset % 2 === 0 ? chunk : new Uint8Array(chunk);
  const samples = new Int16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
  for (let start = 0; start < samples.length; start += PIECE_SAMPLES) {
    yield samples.subarray(start, start + PIECE_SAMPLES);
  }
}

function tooMany(format: EncodedFormat): AppError {
  return new AppError(
    "overloaded",
    `Too many replies are being encoded as ${format}. Try again in a moment, or request pcm or wav.`,
    { retryAfterMs: 1_000 },
  );
}
