import { createDecoder } from "libopus-wasm";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { afterAll, describe, expect, it } from "vitest";
import { createAudioEncoder } from "../../../lib/audio/encode/create";
import { wavHeader } from "../../../lib/audio/pcm";
import type { AudioFormat } from "../../../lib/ports/audio-encoder";
import { workerFile } from "../../../lib/server/process/workers";
import { collect, loudness, tone } from "../../support/tone";

const encoder = createAudioEncoder({ workerFile: workerFile("encode") });
afterAll(() => encoder.close());

async function demux(bytes: Buffer) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error("no audio track");
  const packets: { data: Uint8Array; duration: number }[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    packets.push({ data: packet.data, duration: packet.duration });
  }
  return {
    codec: await track.getCodec(),
    sampleRate: await track.getSampleRate(),
    channels: await track.getNumberOfChannels(),
    seconds: packets.reduce((sum, packet) => sum + packet.duration, 0),
    packets,
  };
}

/** Bits of sound in the first granule of an MPEG-2 layer III mono frame (part2_3_length); 0 is silence. */
function soundBits(frame: Uint8Array): number {
  const sideInfo = frame.subarray(4);
  const word = ((sideInfo[1] ?? 0) << 16) | ((sideInfo[2] ?? 0) << 8) | (sideInfo[3] ?? 0);
  return (word >> 11) & 0xfff;
}

describe("the audio encoder", () => {
  it("encodes mp3 frames of 24 kHz mono that last as long as the speech", async () => {
    const bytes = await collect(encoder.encode("mp3", tone(3)));
    expect(bytes.readUInt16BE(0) & 0xfff6).toBe(0xfff2); // sync, MPEG-2, layer III
    const file = await demux(bytes);
    expect(file).toMatchObject({ codec: "mp3", sampleRate: 24_000, channels: 1 });
    expect(file.seconds).toBeGreaterThan(2.99);
    expect(file.seconds).toBeLessThan(3.15);
    const middle = file.packets[Math.floor(file.packets.length / 2)];
    expect(soundBits(middle?.data ?? new Uint8Array())).toBeGreaterThan(50);
  });

  it.each(["mp3", "flac"] as const)(
    "encodes samples at an odd offset of their buffer: %s",
    async (format) => {
      const samples = await collect(tone(1));
      const moved = Buffer.concat([Buffer.alloc(1), samples]).subarray(1);
      const encoded = (pcm: Uint8Array) =>
        collect(
          encoder.encode(
            format,
            (async function* () {
              yield pcm;
            })(),
          ),
        );
      expect(moved.byteOffset % 2).toBe(1);
      expect((await encoded(moved)).equals(await encoded(samples))).toBe(true);
    },
  );

  it("encodes Ogg Opus that decodes to the same tone, trimmed to the sample", async () => {
    const bytes = await collect(encoder.encode("opus", tone(2.345)));
    expect(bytes.toString("latin1", 0, 4)).toBe("OggS");
    expect(bytes.toString("latin1", 28, 36)).toBe("OpusHead");
    const preSkip = bytes.readUInt16LE(38);
    const lastPage = bytes.lastIndexOf("OggS");
    expect(bytes[lastPage + 5]).toBe(4); // end of stream
    expect(Number(bytes.readBigUInt64LE(lastPage + 6)) - preSkip).toBe(112_560);
    const file = await demux(bytes);
    expect(file).toMatchObject({ codec: "opus", sampleRate: 48_000, channels: 1 });
    const decoder = await createDecoder({ sampleRate: 24_000, channels: 1 });
    const decoded = file.packets.flatMap((packet) => [...decoder.decode(packet.data)]);
    decoder.free();
    expect(loudness(Int16Array.from(decoded.slice(4_800, 48_000)))).toBeGreaterThan(4_000);
  });

  it("encodes AAC in ADTS frames of 24 kHz mono", async () => {
    const bytes = await collect(encoder.encode("aac", tone(2)));
    expect(bytes.readUInt16BE(0) & 0xfff6).toBe(0xfff0);
    const file = await demux(bytes);
    expect(file).toMatchObject({ codec: "aac", sampleRate: 24_000, channels: 1 });
    expect(file.seconds).toBeGreaterThan(1.99);
    expect(file.seconds).toBeLessThan(2.15);
    const silence = await demux(await collect(encoder.encode("aac", tone(2, { amplitude: 0 }))));
    const size = (of: typeof file) => of.packets.reduce((sum, packet) => sum + packet.data.length, 0);
    expect(size(file)).toBeGreaterThan(2 * size(silence));
  });

  it("encodes FLAC of exactly the speech's length", async () => {
    const bytes = await collect(encoder.encode("flac", tone(2.5)));
    expect(bytes.toString("latin1", 0, 4)).toBe("fLaC");
    const file = await demux(bytes);
    expect(file).toMatchObject({ codec: "flac", sampleRate: 24_000, channels: 1 });
    expect(file.seconds).toBeCloseTo(2.5, 4);
    const silence = await collect(encoder.encode("flac", tone(2.5, { amplitude: 0 })));
    expect(bytes.length).toBeGreaterThan(5 * silence.length);
  });

  it("leaves pcm unchanged, and adds a header of unknown sizes for wav", async () => {
    const samples = await collect(tone(0.5));
    expect(await collect(encoder.encode("pcm", tone(0.5)))).toEqual(samples);
    const wav = await collect(encoder.encode("wav", tone(0.5)));
    expect(wav.subarray(44)).toEqual(samples);
    expect(wav.toString("latin1", 0, 4) + wav.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
    expect([wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
    expect(await demux(wav)).toMatchObject({ codec: "pcm-s16", sampleRate: 24_000, channels: 1 });
  });

  it("writes true sizes into a wav header when they are known", () => {
    const header = Buffer.from(wavHeader(24_000, 1_000));
    expect([header.readUInt32LE(4), header.readUInt32LE(40)]).toEqual([1_036, 1_000]);
  });

  it.each<[AudioFormat, number]>([
    ["mp3", 0.3],
    ["opus", 0.3],
    ["wav", 0.1],
    ["pcm", 0.1],
    ["flac", 0.5],
    ["aac", 0.5],
  ])("returns the first bytes of %s after at most %s s of audio", async (format, seconds) => {
    let read = 0;
    const source = async function* () {
      for await (const chunk of tone(5, { chunkSeconds: 0.02 })) {
        read += chunk.length / 48_000;
        yield chunk;
      }
    };
    for await (const bytes of encoder.encode(format, source())) {
      expect(bytes.length).toBeGreaterThan(0);
      break;
    }
    expect(read).toBeLessThanOrEqual(seconds + 0.001);
  });

  it("stops the speech when the reader of the encoded audio stops", async () => {
    let returned = 0;
    const source = async function* () {
      try {
        yield* tone(60);
      } finally {
        returned += 1;
      }
    };
    for await (const _ of encoder.encode("mp3", source())) break;
    expect(returned).toBe(1);
  });

  it("rethrows the speech's error after the audio that came before it", async () => {
    const source = async function* () {
      yield* tone(1);
      throw new Error("the engine broke");
    };
    let bytes = 0;
    const read = async () => {
      for await (const chunk of encoder.encode("mp3", source())) bytes += chunk.length;
    };
    await expect(read()).rejects.toThrow("the engine broke");
    expect(bytes).toBeGreaterThan(5_000);
  });

  it("does not mix up forty concurrent encoders", async () => {
    const alone = await collect(encoder.encode("opus", tone(1, { hertz: 300 })));
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        collect(encoder.encode("opus", tone(1, { hertz: i === 7 ? 300 : 900 }))),
      ),
    );
    const packets = async (file: Buffer) => (await demux(file)).packets.map((packet) => packet.data);
    expect(await packets(all[7] ?? Buffer.alloc(0))).toEqual(await packets(alone));
    expect(await packets(all[8] ?? Buffer.alloc(0))).not.toEqual(await packets(alone));
  });

  it("keeps the worker thread for a running encoder when another encoder ends", async () => {
    const own = createAudioEncoder({ workerFile: workerFile("encode"), idleMs: 1 });
    const running = own.encode("opus", tone(5))[Symbol.asyncIterator]();
    await running.next();
    await collect(own.encode("mp3", tone(0.1)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await running.next()).toMatchObject({ done: false });
    await running.return?.(undefined);
    await own.close();
  });

  it("refuses the seventeenth concurrent FLAC encoder and stops its speech", async () => {
    const open = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const running = encoder.encode("flac", tone(5))[Symbol.asyncIterator]();
        await running.next();
        return running;
      }),
    );
    let returned = 0;
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true, value: undefined }),
        return: async () => {
          returned += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    await expect(collect(encoder.encode("flac", source))).rejects.toMatchObject({ code: "overloaded" });
    expect(returned).toBe(1);
    await Promise.all(open.map((running) => running.return?.(undefined)));
    expect((await collect(encoder.encode("flac", tone(0.2)))).length).toBeGreaterThan(0);
  });
});
