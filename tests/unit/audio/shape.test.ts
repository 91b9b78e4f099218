import { describe, expect, it } from "vitest";
import { equalize } from "../../../lib/audio/equalize";
import { encodePcm16, samplesFor, wavHeader } from "../../../lib/audio/pcm";
import { changeSpeed, levelLoudness, shapeSpeech, trimSilence } from "../../../lib/audio/shape";
import { decodePcm16, medianPitch, peak, rmsDb } from "../../support/measure-audio";

const RATE = 24_000;

/** A buzz with harmonics, like a voice. */
function buzz(hertz: number, rate: number, seconds: number, amplitude = 0.4): Float32Array {
  return Float32Array.from({ length: Math.round(rate * seconds) }, (_, i) => {
    let sum = 0;
    for (let k = 1; k <= 8; k++) sum += Math.sin((2 * Math.PI * hertz * k * i) / rate) / k;
    return (sum * amplitude) / 2;
  });
}

describe("changeSpeed", () => {
  it.each([0.25, 0.5, 0.8, 1.25, 2, 3, 4])(
    "keeps the pitch and takes the requested time at speed %f, within 3 %%",
    (speed) => {
      for (const hertz of [95, 140, 220]) {
        const out = changeSpeed(buzz(hertz, RATE, 4), RATE, speed);
        expect(Math.abs(medianPitch(out, RATE) / hertz - 1)).toBeLessThan(0.03);
        expect(Math.abs((out.length * speed) / (4 * RATE) - 1)).toBeLessThan(0.03);
      }
    },
  );

  it("keeps the loudness", () => {
    const tone = buzz(140, RATE, 2);
    for (const speed of [0.5, 1.5, 3]) {
      expect(Math.abs(rmsDb(changeSpeed(tone, RATE, speed)) - rmsDb(tone))).toBeLessThan(1);
    }
  });

  it("keeps the end of slow speech about as loud as the rest", () => {
    for (const hertz of [95, 140, 220]) {
      const tone = buzz(hertz, RATE, 1);
      const end = changeSpeed(tone, RATE, 0.25).subarray(-RATE / 20);
      expect(rmsDb(end) - rmsDb(tone)).toBeGreaterThan(-5);
    }
  });

  it("returns samples at natural speed, and samples too short to cut, unchanged", () => {
    const tone = buzz(140, RATE, 1);
    expect(changeSpeed(tone, RATE, 1)).toBe(tone);
    const click = tone.subarray(0, 300);
    expect(changeSpeed(click, RATE, 2)).toBe(click);
  });
});

describe("levelLoudness", () => {
  it.each([0.02, 0.1, 0.5])("levels speech with amplitude %f to −20 dBFS without clipping", (amplitude) => {
    const levelled = levelLoudness(buzz(120, RATE, 1, amplitude), RATE);
    expect(rmsDb(levelled)).toBeCloseTo(-20, 0);
    expect(peak(levelled)).toBeLessThan(0.99);
  });

  it("compresses the peaks of a pulse train instead of clipping them", () => {
    const pulses = new Float32Array(RATE);
    for (let i = 0; i < pulses.length; i += 240) pulses.set([0.2, 0.9, 0.5], i);
    const levelled = levelLoudness(pulses, RATE);
    expect(peak(levelled)).toBeLessThan(0.99);
    expect(levelled[1]).toBeGreaterThan(levelled[2] ?? 1);
  });

  it("keeps silence silent", () => {
    expect(peak(levelLoudness(new Float32Array(1_000), RATE))).toBe(0);
  });
});

it("trimSilence trims silence to the margin and keeps the sound", () => {
  const samples = new Float32Array(3 * RATE);
  samples.set(buzz(140, RATE, 1), RATE);
  const trimmed = trimSilence(samples, RATE, 15);
  expect(trimmed.length / RATE).toBeGreaterThan(1);
  expect(trimmed.length / RATE).toBeLessThan(1.08);
  expect(trimSilence(new Float32Array(RATE), RATE, 15)).toHaveLength(0);
  // The last sound of "cough" is 40 dB below the loudest.
  const quiet = buzz(140, RATE, 0.2).map((sample) => sample / 100);
  samples.set(quiet, 2 * RATE);
  expect(trimSilence(samples, RATE, 15).length / RATE).toBeGreaterThan(1.2);
  // Noise of the same level before the speech is trimmed.
  samples.set(quiet, RATE - quiet.length);
  expect(trimSilence(samples, RATE, 15).length / RATE).toBeLessThan(1.3);
});

describe("equalize", () => {
  const gainDb = (hertz: number, shape: "low-shelf" | "high-shelf" | "peak") => {
    const tone = Float32Array.from(
      { length: RATE },
      (_, i) => 0.1 * Math.sin((2 * Math.PI * hertz * i) / RATE),
    );
    const before = rmsDb(tone);
    return rmsDb(equalize(tone, RATE, [{ shape, hertz: 1_000, gainDb: 6 }])) - before;
  };

  it.each([
    ["low-shelf", 6, 3, 0],
    ["peak", 0, 6, 0],
    ["high-shelf", 0, 3, 6],
  ] as const)("changes only its own band with a %s filter", (shape, low, middle, high) => {
    expect(gainDb(60, shape)).toBeCloseTo(low, 0);
    expect(gainDb(1_000, shape)).toBeCloseTo(middle, 0);
    expect(gainDb(10_500, shape)).toBeCloseTo(high, 0);
  });
});

describe("shapeSpeech", () => {
  it("moves the pitch by the playback rate, returns 24 kHz and fades the edges", () => {
    const input = buzz(100, 16_000, 2);
    const out = shapeSpeech(input, 16_000, { playbackRate: 1.1, bands: [], speed: 1 }, RATE);
    expect(medianPitch(out, RATE) / 110).toBeCloseTo(1, 1);
    expect(out.length / RATE).toBeCloseTo(2 / 1.1, 1);
    expect([out[0] ?? 1, out.at(-1) ?? 1].map(Math.abs)).toEqual([0, 0]);
  });

  it("leaves the engine's samples unchanged", () => {
    const input = buzz(100, RATE, 1);
    const copy = input.slice();
    shapeSpeech(input, RATE, { playbackRate: 1, bands: [], speed: 1 }, RATE);
    expect(input).toEqual(copy);
  });

  it("returns nothing for silence", () => {
    expect(
      shapeSpeech(new Float32Array(8_000), 16_000, { playbackRate: 1, bands: [], speed: 1 }, RATE),
    ).toHaveLength(0);
  });
});

describe("PCM samples", () => {
  it("are rounded, clipped and little-endian", () => {
    expect([...encodePcm16(Float32Array.of(0, 1, -1, 2, -2, 1 / 32_767))]).toEqual([
      0, 0, 0xff, 0x7f, 0x01, 0x80, 0xff, 0x7f, 0x00, 0x80, 1, 0,
    ]);
  });

  it("are decoded from bytes within half a step", () => {
    const tone = buzz(140, RATE, 0.1);
    const back = decodePcm16(new Int16Array(encodePcm16(tone).buffer));
    expect(Math.max(...tone.map((sample, i) => Math.abs(sample - (back[i] ?? 1))))).toBeLessThan(1 / 16_000);
  });

  it("are counted for a duration", () => {
    expect(samplesFor(250, RATE)).toBe(6_000);
  });
});

it("writes a WAV header with true sizes, or unknown ones while streaming", () => {
  const header = Buffer.from(wavHeader(RATE, 96_000));
  expect(header.toString("latin1", 0, 4) + header.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
  expect(header.readUInt32LE(4)).toBe(96_036);
  expect(header.readUInt32LE(24)).toBe(RATE);
  expect(header.readUInt32LE(28)).toBe(RATE * 2);
  expect(header.readUInt16LE(34)).toBe(16);
  expect(header.readUInt32LE(40)).toBe(96_000);
  expect(Buffer.from(wavHeader(RATE, null)).readUInt32LE(40)).toBe(0xffffffff);
});
