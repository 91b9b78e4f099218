import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createAudioEncoder } from "@/lib/audio/encode/create";
import { wavHeader } from "@/lib/audio/pcm";
import { AudioReader, checkAudioType, rateOf } from "@/lib/providers/upstream-audio/audio-reader";
import { workerFile } from "@/lib/server/process/workers";
import { collect, tone } from "../../support/tone";
import { pitchOf, tonePcm, wavFile } from "../../support/upstream/sounds";

const encoder = createAudioEncoder({ workerFile: workerFile("encode") });
afterAll(() => encoder.close());

function read(bytes: Buffer, cuts: readonly number[] = [], rate: number | null = null): Buffer {
  const reader = new AudioReader(rate);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const out: Uint8Array[] = [];
  // Copies: a reader must not rely on one buffer that is reused.
  for (let i = 1; i < at.length; i += 1)
    out.push(reader.push(Uint8Array.from(bytes.subarray(at[i - 1], at[i]))));
  out.push(reader.end());
  return Buffer.concat(out);
}

function samplesOf(pcm: Buffer): Int16Array {
  return new Int16Array(Uint8Array.from(pcm).buffer);
}

/** Frequency of a tone in hertz, by its zero crossings. */
function hertz(pcm: Buffer): number {
  const samples = samplesOf(pcm);
  let crossings = 0;
  for (let i = 1; i < samples.length; i += 1) {
    if ((samples[i - 1] ?? 0) < 0 !== (samples[i] ?? 0) < 0) crossings += 1;
  }
  return (crossings / 2) * (24_000 / samples.length);
}

const TEXT = "a text of no great length that takes a second or so to say out loud, as texts like this one do";
const TONE = tonePcm(TEXT, "Kore", 24_000);

/** A WAV file of any format with these sample bytes. */
function wavOf(
  format: { tag: number; channels: number; rate: number; bits: number },
  data: Buffer,
  extra: Buffer = Buffer.alloc(0),
): Buffer {
  const header = Buffer.from(wavHeader(format.rate, data.length));
  header.writeUInt16LE(format.tag, 20);
  header.writeUInt16LE(format.channels, 22);
  header.writeUInt16LE(format.bits, 34);
  return Buffer.concat([header.subarray(0, 36), extra, header.subarray(36), data]);
}

test("reads raw samples and WAV files wherever the network splits them", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TONE.length), { maxLength: 10 }), (cuts) => {
      expect(read(TONE, cuts).equals(TONE)).toBe(true);
      expect(read(wavFile(TONE, 24_000, false), cuts).equals(TONE)).toBe(true);
      expect(read(wavFile(TONE, 24_000, true), cuts).equals(TONE)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test.each([8_000, 16_000, 22_050, 32_000, 44_100, 48_000])(
  "keeps the pitch and length of audio at %i Hz, raw and as WAV",
  (rate) => {
    const tone = tonePcm(TEXT, "Kore", rate);
    for (const pcm of [read(tone, [1, 333, 4_801], rate), read(wavFile(tone, rate, true), [1, 43, 4_801])]) {
      expect(Math.abs(pcm.length - TONE.length)).toBeLessThanOrEqual(4);
      expect(hertz(pcm)).toBeCloseTo(pitchOf("Kore"), -1);
    }
  },
);

test("reads WAV files in stereo, with 8, 24 and 32 bits and with floats", () => {
  const mono = samplesOf(TONE);
  const as = (
    bytes: number,
    channels: number,
    write: (buffer: Buffer, value: number, at: number) => void,
  ) => {
    const data = Buffer.alloc(mono.length * bytes * channels);
    for (const [i, value] of mono.entries()) {
      for (let channel = 0; channel < channels; channel += 1)
        write(data, value, (i * channels + channel) * bytes);
    }
    return data;
  };
  const files = [
    wavOf(
      { tag: 1, channels: 2, rate: 24_000, bits: 16 },
      as(2, 2, (b, v, at) => b.writeInt16LE(v, at)),
    ),
    wavOf(
      { tag: 1, channels: 1, rate: 24_000, bits: 24 },
      as(3, 1, (b, v, at) => b.writeIntLE(v * 256, at, 3)),
    ),
    wavOf(
      { tag: 1, channels: 1, rate: 24_000, bits: 32 },
      as(4, 1, (b, v, at) => b.writeInt32LE(v * 65_536, at)),
    ),
    wavOf(
      { tag: 3, channels: 1, rate: 24_000, bits: 32 },
      as(4, 1, (b, v, at) => b.writeFloatLE(v / 32_768, at)),
    ),
    wavOf(
      { tag: 1, channels: 1, rate: 24_000, bits: 8 },
      as(1, 1, (b, v, at) => b.writeUInt8((v >> 8) + 128, at)),
    ),
  ];
  for (const [i, file] of files.entries()) {
    const samples = samplesOf(read(file, [7, 45, 1_001]));
    expect(samples.length).toBe(mono.length);
    const worst = samples.reduce((most, sample, at) => Math.max(most, Math.abs(sample - (mono[at] ?? 0))), 0);
    expect(worst, `file ${i}`).toBeLessThanOrEqual(i === 4 ? 256 : 2);
  }
});

test("reads a WAV file in the extensible form, whose format is in a GUID", () => {
  const header = Buffer.from(wavHeader(24_000, TONE.length));
  header.writeUInt32LE(40, 16);
  header.writeUInt16LE(0xfffe, 20);
  const extension = Buffer.from("1600100004000000" + "0100000000001000800000aa00389b71", "hex");
  const file = Buffer.concat([header.subarray(0, 36), extension, header.subarray(36), TONE]);
  expect(read(file, [50]).equals(TONE)).toBe(true);
});

test("skips the chunks of a WAV file before and after its samples", () => {
  const list = Buffer.concat([Buffer.from("LIST"), Buffer.from([3, 0, 0, 0]), Buffer.from("abc\0")]);
  const file = Buffer.concat([wavOf({ tag: 1, channels: 1, rate: 24_000, bits: 16 }, TONE, list), list]);
  expect(read(file, [50]).equals(TONE)).toBe(true);
});

/** A file with these sizes in place of its own. */
function wavWithSizes(riff: number, data: number): Buffer {
  const file = wavFile(TONE, 24_000, false);
  file.writeUInt32LE(riff, 4);
  file.writeUInt32LE(data, 40);
  return file;
}

test.each([
  ["0", 36, 0],
  ["the largest", 0xffff_ffff, 0xffff_ffff],
  ["the largest with a sign", 0x7fff_ffff, 0x7fff_ffdb],
  ["that of SoX", 0x7fff_f024, 0x7fff_f000],
  ["two billion", 2_000_000_036, 2_000_000_000],
  ["that of the first piece", 4_836, 4_800],
  ["that of the first piece, without the file's", 0, 4_800],
  ["one that is too large, without the file's", 0, TONE.length + 2],
])("reads a WAV file whose size is a placeholder to its end: %s", (_name, riff, data) => {
  for (const cuts of [[], [44, 4_843, 4_845, 4_850]])
    expect(read(wavWithSizes(riff, data), cuts).equals(TONE)).toBe(true);
});

test.each([
  ["an odd number of zeros", Buffer.alloc(7)],
  ["line breaks", Buffer.from("\r\n\r\n\r")],
])("leaves out padding after a WAV file: %s", (_name, padding) => {
  expect(read(Buffer.concat([wavFile(TONE, 24_000, false), padding])).equals(TONE)).toBe(true);
});

test.each(["RF64", "BW64"])("reads a %s file", (mark) => {
  const ds64 = Buffer.concat([Buffer.from("ds64"), Buffer.from([28, 0, 0, 0]), Buffer.alloc(28)]);
  const header = Buffer.from(wavHeader(24_000, null));
  header.write(mark, "latin1");
  const file = Buffer.concat([header.subarray(0, 12), ds64, header.subarray(12), TONE]);
  expect(read(file, [50]).equals(TONE)).toBe(true);
});

test.each([
  ["an odd byte", TONE.subarray(0, 1_001)],
  ["half a header", wavFile(TONE, 24_000, false).subarray(0, 30)],
  ["fewer samples than announced", wavFile(TONE, 24_000, false).subarray(0, 2_000)],
])("rejects %s as truncated", (_name, bytes) => {
  expect(() => read(bytes)).toThrow(expect.objectContaining({ code: "upstream_truncated" }));
});

test.each([
  ["mp3", Buffer.from("ID3\u0004rest of the file")],
  ["ogg", Buffer.from("OggS and so on")],
  ["mp4", Buffer.concat([Buffer.from("\0\0\0\u001cftypM4A "), TONE])],
  ["webm", Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86]), TONE])],
  ["aiff", Buffer.concat([Buffer.from("FORM"), Buffer.from([0, 1, 0x80, 0x2e]), Buffer.from("AIFF"), TONE])],
  ["amr", Buffer.concat([Buffer.from("#!AMR\n"), TONE])],
  ["json", Buffer.from('{"error":"none"}')],
  ["a page", Buffer.from("<!DOCTYPE html>")],
  [
    "a page after line breaks",
    Buffer.from(`\r\n\n <html lang="zh"><title>网关错误</title>${"错误".repeat(2_000)}`),
  ],
  ["indented json", Buffer.from(`\ufeff{\n    "error": "${"过载".repeat(2_000)}"}`)],
  ["words", Buffer.from("upstream connect error or disconnect/reset before headers. ".repeat(40))],
  ["base64", Buffer.from(TONE.toString("base64"))],
  ["an unsupported rate", wavFile(TONE, 23_999, false)],
  ["several files in one", Buffer.concat([wavFile(TONE, 24_000, false), wavFile(TONE, 24_000, false)])],
  ["a-law", wavOf({ tag: 6, channels: 1, rate: 8_000, bits: 8 }, TONE)],
  ["the extensible form without a GUID", wavOf({ tag: 0xfffe, channels: 1, rate: 24_000, bits: 16 }, TONE)],
  ["no channels", wavOf({ tag: 1, channels: 0, rate: 24_000, bits: 16 }, TONE)],
  [
    "a header without end",
    Buffer.concat([Buffer.from("RIFF....WAVEjunk"), Buffer.from([0, 0, 0, 1]), Buffer.alloc(80_000)]),
  ],
])("rejects %s as invalid", (_name, bytes) => {
  for (const cuts of [[], [40, bytes.length / 2 - 1, bytes.length / 2 + 1].map(Math.floor)])
    expect(() => read(bytes, cuts)).toThrow(expect.objectContaining({ code: "upstream_invalid" }));
});

test.each(["mp3", "aac"] as const)("rejects %s frames without a file header as invalid", async (format) => {
  const bytes = await collect(encoder.encode(format, tone(1)));
  expect(bytes[0]).toBe(0xff);
  for (const cuts of [[], [1, 40, 200, 500]])
    expect(() => read(bytes, cuts)).toThrow(expect.objectContaining({ code: "upstream_invalid" }));
});

test("rejects one or two MP3 or AAC frames without a file header only if they are the whole stream", () => {
  // Frames of 144 and 342 bytes.
  const starts = [
    [0xff, 0xf3, 0x64, 0xc4],
    [0xff, 0xf1, 0x5c, 0x40, 0x2a, 0xc0, 0xfc],
  ];
  for (const [at, start] of starts.entries()) {
    const length = at === 0 ? 144 : 342;
    const frame = Buffer.alloc(length);
    frame.set(start);
    for (const bytes of [frame, Buffer.concat([frame, frame])])
      for (const cuts of [[], [1, 40, 100]])
        expect(() => read(bytes, cuts)).toThrow(expect.objectContaining({ code: "upstream_invalid" }));
    const others = [
      frame.subarray(2),
      frame.subarray(0, length - 2),
      Buffer.concat([frame, Buffer.alloc(2)]),
      Buffer.concat([frame, Buffer.alloc(length)]),
    ];
    for (const pcm of others) expect(read(pcm).equals(pcm)).toBe(true);
  }
});

test("reads raw samples whose first ones look like a frame of MP3 or AAC", () => {
  const lookalike = fc.oneof(
    fc.tuple(fc.constant(0xff), fc.integer({ min: 0xe0, max: 0xff }), fc.nat(255), fc.nat(255)),
    fc.constantFrom([0xff, 0xfb, 0x90, 0x64], [0xff, 0xf3, 0x64, 0xc4], [0xff, 0xf1, 0x5c, 0x40, 5, 0x60]),
  );
  const samples = fc.oneof(
    fc.uint8Array({ minLength: 40, maxLength: 3_000 }),
    fc.nat(4_000).map((length) => Buffer.alloc(40 + length)),
    fc.nat(4_000).map((at) => TONE.subarray(2 * at)),
  );
  fc.assert(
    fc.property(lookalike, samples, fc.array(fc.nat(3_000), { maxLength: 5 }), (start, rest, cuts) => {
      // Longer than any frame, so that no frame fills the stream.
      const all = Buffer.concat([Uint8Array.from(start), rest, Buffer.alloc(8_192)]);
      const pcm = all.subarray(0, all.length - (all.length % 2));
      expect(read(pcm, cuts).equals(pcm)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test("reads the sample rate from the media type", () => {
  expect(rateOf("audio/L16;codec=pcm;rate=24000")).toBe(24_000);
  expect(rateOf('audio/pcm; rate="16000"')).toBe(16_000);
  expect(rateOf("audio/pcm")).toBeNull();
});

test("rejects raw samples of several channels, whose number only a WAV file's header may state", () => {
  for (const type of ["audio/L16;rate=24000;channels=1", 'audio/pcm; channels="1"', "audio/wav;channels=2"])
    expect(() => checkAudioType(type)).not.toThrow();
  for (const type of ["audio/L16;rate=24000;channels=2", "audio/pcm; Channels=10"])
    expect(() => checkAudioType(type)).toThrow(expect.objectContaining({ code: "upstream_invalid" }));
});
