import { expect, test } from "vitest";
import {
  barsOf,
  findPause,
  joinSamples,
  PeakMeter,
  peaksOf,
  SAMPLE_RATE,
  wavOf,
} from "@/lib/client/speech-pcm";

test("a WAV file says what it holds", () => {
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

test("peaks are the loudest sample of each stretch, and no sample is left out", () => {
  const samples = new Int16Array(1000);
  samples[0] = 16_384;
  samples[999] = -32_768;
  const peaks = peaksOf(samples, 7);
  expect(peaks[0]).toBe(0.5);
  expect(peaks[6]).toBe(1);
  expect([...peaks.slice(1, 6)]).toEqual([0, 0, 0, 0, 0]);
});

test("peaks of more stretches than samples repeat the samples", () => {
  expect(peaksOf(Int16Array.from([16_384, 0]), 4)).toEqual(Float32Array.from([0.5, 0.5, 0, 0]));
});

test("growing peaks do not depend on how the sound was cut", () => {
  const samples = Int16Array.from({ length: 2000 }, (_, at) => (at * 37) % 5000);
  const whole = new PeakMeter(480);
  whole.push(samples);
  const pieces = new PeakMeter(480);
  for (let at = 0; at < samples.length; at += 133) pieces.push(samples.subarray(at, at + 133));
  expect(pieces.peaks).toEqual(whole.peaks);
  expect(whole.peaks).toHaveLength(4);
});

test("a pause is found in its middle, and only where it is long enough", () => {
  const speech = new Int16Array(SAMPLE_RATE).fill(9000);
  speech.fill(0, 2000, 2500);
  speech.fill(100, 12_000, 14_400);
  expect(findPause(speech, 0)).toBe(12_000 + 600);
  expect(findPause(speech, 13_000)).toBe(13_600);
  expect(findPause(speech, 14_000)).toBe(-1);
});

test("chunks join in order", () => {
  expect(joinSamples([Int16Array.from([1]), new Int16Array(0), Int16Array.from([2, 3])])).toEqual(
    Int16Array.from([1, 2, 3]),
  );
});

test("a long take's bars tell loud stretches from soft ones, a short take's are its peaks", () => {
  const long = new Int16Array(SAMPLE_RATE * 60).map((_, at) => {
    const isLoudHalf = at >= SAMPLE_RATE * 30;
    // A click of full scale each second, in both halves; a hum in the second alone.
    return at % SAMPLE_RATE === 0 ? 32_767 : isLoudHalf ? 16_384 : 0;
  });
  const bars = barsOf(long, 10);
  expect(Math.max(...bars.slice(0, 5))).toBeLessThan(0.1);
  expect(Math.min(...bars.slice(5))).toBeGreaterThan(0.45);
  expect(bars).toHaveLength(10);
  const short = long.slice(0, SAMPLE_RATE / 10);
  expect(barsOf(short, 10)).toEqual(peaksOf(short, 10));
});
