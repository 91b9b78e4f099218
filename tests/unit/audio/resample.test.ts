import { describe, expect, it } from "vitest";
import { Resampler, resample } from "../../../lib/audio/resample";

const OUTPUT = 24_000;

function sine(hertz: number, rate: number, seconds: number): Float32Array {
  return Float32Array.from(
    { length: Math.round(rate * seconds) },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / rate),
  );
}

/** Amplitude of one frequency under a Blackman–Harris window (side lobes −92 dB), in dB below a sine of 0.5. */
function levelAt(samples: Float32Array, hertz: number, rate: number): number {
  // Without the ends, where the filter starts and stops.
  const body = samples.subarray(2_000, samples.length - 2_000);
  let re = 0;
  let im = 0;
  let sum = 0;
  body.forEach((sample, i) => {
    const turn = (2 * Math.PI * i) / (body.length - 1);
    const window =
      0.35875 - 0.48829 * Math.cos(turn) + 0.14128 * Math.cos(2 * turn) - 0.01168 * Math.cos(3 * turn);
    const phase = (2 * Math.PI * hertz * i) / rate;
    re += sample * window * Math.cos(phase);
    im += sample * window * Math.sin(phase);
    sum += window;
  });
  return 20 * Math.log10((2 * Math.hypot(re, im)) / sum / 0.5 + 1e-12);
}

/** The rest of a tone's output without the tone, in dB below the tone. */
function residueDb(samples: Float32Array, hertz: number, rate: number): number {
  const body = samples.subarray(2_000, samples.length - 2_000);
  let [re, im] = [0, 0];
  body.forEach((sample, i) => {
    const phase = (2 * Math.PI * hertz * i) / rate;
    re += (2 * sample * Math.cos(phase)) / body.length;
    im += (2 * sample * Math.sin(phase)) / body.length;
  });
  let rest = 0;
  let all = 0;
  body.forEach((sample, i) => {
    const phase = (2 * Math.PI * hertz * i) / rate;
    rest += (sample - re * Math.cos(phase) - im * Math.sin(phase)) ** 2;
    all += sample ** 2;
  });
  return 10 * Math.log10(rest / all);
}

describe.each([16_000, 22_050])("%i Hz to 24 kHz", (input) => {
  it.each([200, 1_000, 3_000, 6_000])("keeps a tone of %i Hz within 0.1 dB", (hertz) => {
    expect(Math.abs(levelAt(resample(sine(hertz, input, 1), input, OUTPUT), hertz, OUTPUT))).toBeLessThan(
      0.1,
    );
  });

  it.each([500, 1_000, 4_000, 6_500])("adds no image of a tone of %i Hz above −60 dB", (hertz) => {
    // A whole number of periods, so that nothing of the tone remains when it is removed.
    const out = resample(sine(hertz, input, 1), input, OUTPUT);
    expect(residueDb(out.subarray(0, 24_000), hertz, OUTPUT)).toBeLessThan(-60);
    const image = input - hertz;
    if (image < OUTPUT / 2) expect(levelAt(out, image, OUTPUT)).toBeLessThan(-60);
  });

  it("returns the same samples in blocks of any size as in one piece", () => {
    const tone = sine(1_000, input, 0.5);
    const whole = resample(tone, input, OUTPUT);
    for (const size of [1, 7, 160, 4_096]) {
      const resampler = new Resampler(input, OUTPUT);
      const parts: number[] = [];
      for (let at = 0; at < tone.length; at += size) {
        parts.push(...resampler.process(tone.subarray(at, at + size)));
      }
      parts.push(...resampler.flush());
      expect(Float32Array.from(parts)).toEqual(whole);
    }
  });

  it("returns as many samples as the duration requires", () => {
    for (const length of [1, 100, 15_999, 16_000]) {
      const out = resample(new Float32Array(length), input, OUTPUT);
      expect(Math.abs(out.length - (length * OUTPUT) / input)).toBeLessThanOrEqual(1);
    }
  });
});

it.each([10_000, 11_000, 11_999])(
  "keeps the alias of %i Hz below −60 dB when resampling to 16 kHz",
  (hertz) => {
    const out = resample(sine(hertz, 24_000, 1), 24_000, 16_000);
    expect(levelAt(out, 16_000 - hertz, 16_000)).toBeLessThan(-60);
  },
);

it("the resampler compensates its filter's delay", () => {
  const input = new Float32Array(1_600);
  input[800] = 1;
  const out = resample(input, 16_000, OUTPUT);
  expect(out.indexOf(Math.max(...out))).toBe(1_200);
});
