import { expect, test } from "vitest";
import {
  findPause,
  joinSamples,
  meansOf,
  PeakMeter,
  peaksOf,
  SAMPLE_RATE,
  setFlacLength,
  waveformBars,
  wavOf,
} from "@/lib/client/speech-pcm";

test("setFlacLength writes the number of samples and nothing else", () => {
  // Marker and STREAMINFO of a stream from the encoder: 24 kHz, mono, 16 bits, unknown length, no MD5 sum.
  const header = "664c6143800000220010ffff00000000000005dc00f0000000000000000000000000000000000000";
  const file = Uint8Array.from(Buffer.from(header, "hex"));
  setFlacLength(file.buffer, 72_000);
  const written = Buffer.from(file).toString("hex");
  expect(written).toBe(header.replace("00f000000000", "00f000011940"));
});

test("wavOf writes a header that matches the samples", () => {
  const file = Buffer.from(wavOf(Int16Array.from([1, -1, 32_767])));
  expect(file.toString("latin1", 0, 4)).toBe("RIFF");
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  expect(file.toString("latin1", 8, 16)).toBe("WAVEfmt ");
  expect(file.readUInt16LE(20)).toBe(1);
  expect(file.readUInt16LE(22)).toBe(1);
  expect(file.readUInt32LE(24)).toBe(24_000);
  expect(file.readUInt32LE(28)).toBe(48_000);
  expect(file.readUInt16LE(34)).toBe(16);
  expect(file.readUInt32LE(40)).toBe(6);
  expect([file.readInt16LE(44), file.readInt16LE(46), file.readInt16LE(48)]).toEqual([1, -1, 32_767]);
});

test("peaksOf returns the loudest sample of each section without skipping samples", () => {
  const samples = new Int16Array(1000);
  samples[0] = 16_384;
  samples[999] = -32_768;
  const peaks = peaksOf(samples, 7);
  expect(peaks[0]).toBe(0.5);
  expect(peaks[6]).toBe(1);
  expect([...peaks.slice(1, 6)]).toEqual([0, 0, 0, 0, 0]);
});

test("peaksOf repeats samples where there are more sections than samples", () => {
  expect(peaksOf(Int16Array.from([16_384, 0]), 4)).toEqual(Float32Array.from([0.5, 0.5, 0, 0]));
});

test("meansOf repeats values where there are more sections than values", () => {
  expect([...meansOf([0.5, 1], 4)]).toEqual([0.5, 0.5, 1, 1]);
  expect([...meansOf([0.5, 1, 0, 0], 2)]).toEqual([0.75, 0]);
});

test("PeakMeter returns the same peaks however the samples are chunked", () => {
  const samples = Int16Array.from({ length: 2000 }, (_, at) => (at * 37) % 5000);
  const whole = new PeakMeter(480);
  whole.push(samples);
  const chunked = new PeakMeter(480);
  for (let at = 0; at < samples.length; at += 133) chunked.push(samples.subarray(at, at + 133));
  expect(chunked.peaks).toEqual(whole.peaks);
  expect(whole.peaks).toHaveLength(4);
});

test("findPause returns the middle of a pause of at least 50 ms", () => {
  const speech = new Int16Array(SAMPLE_RATE).fill(9000);
  speech.fill(0, 2000, 2500);
  speech.fill(100, 12_000, 14_400);
  expect(findPause(speech, 0)).toBe(12_000 + 600);
  expect(findPause(speech, 13_000)).toBe(13_600);
  expect(findPause(speech, 14_000)).toBe(-1);
});

test("joinSamples concatenates chunks in order", () => {
  expect(joinSamples([Int16Array.from([1]), new Int16Array(0), Int16Array.from([2, 3])])).toEqual(
    Int16Array.from([1, 2, 3]),
  );
});

test("waveformBars averages the peaks of a long take and returns the peaks of a short one", () => {
  const long = new Int16Array(SAMPLE_RATE * 60).map((_, at) => {
    const isLoudHalf = at >= SAMPLE_RATE * 30;
    // A click of full scale each second, in both halves; a hum only in the second half.
    return at % SAMPLE_RATE === 0 ? 32_767 : isLoudHalf ? 16_384 : 0;
  });
  const bars = waveformBars(long, 10);
  expect(Math.max(...bars.slice(0, 5))).toBeLessThan(0.1);
  expect(Math.min(...bars.slice(5))).toBeGreaterThan(0.45);
  expect(bars).toHaveLength(10);
  const short = long.slice(0, SAMPLE_RATE / 10);
  expect(waveformBars(short, 10)).toEqual(peaksOf(short, 10));
});
