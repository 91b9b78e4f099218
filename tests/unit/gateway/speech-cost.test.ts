import { expect, it } from "vitest";
import { maxSpeechCostNano, maxSpeechSeconds, measureAudio } from "../../../lib/gateway/speech/speech-cost";
import { spokenLength } from "../../../lib/text/spoken-length";

const prices = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: 15_000_000_000,
  outputPerMillionTokens: 12_000_000_000,
  outputPerMillionSeconds: null,
};

it("measures 24 kHz s16le audio in milliseconds and tokens, 25 a second, rounded up", () => {
  expect(measureAudio(48_000)).toEqual({ audioMs: 1_000, outputTokens: 25 });
  expect(measureAudio(48_002)).toEqual({ audioMs: 1_000, outputTokens: 26 });
  expect(measureAudio(0)).toEqual({ audioMs: 0, outputTokens: 0 });
});

it("reserves 2 s plus 0.15 s per character", () => {
  const call = { inputTokens: 5, characters: 100, letters: 100, speed: 1 };
  // 100 characters at 15,000 n$ and 17 s × 25 tokens at 12,000 n$.
  expect(maxSpeechCostNano({ prices, maxAudioSeconds: null }, call)).toBe(1_500_000 + 425 * 12_000);
});

it("reserves at least what Chinese and digits take to speak", () => {
  const secondsOf = (text: string) =>
    maxSpeechSeconds(
      { maxAudioSeconds: null },
      { characters: text.length, letters: spokenLength(text), speed: 1 },
    );
  // The durations that the built-in engine takes.
  expect(secondsOf("今天天气很好我们去公园散步".repeat(10))).toBeGreaterThan(130 * 0.24);
  expect(secondsOf("7 ".repeat(220))).toBeGreaterThan(120.6);
});

it("never reserves more than the model's longest reply", () => {
  const call = { inputTokens: 5, characters: 100_000, letters: 100_000, speed: 0.25 };
  expect(maxSpeechCostNano({ prices, maxAudioSeconds: 60 }, call)).toBe(1_500_000_000 + 1_500 * 12_000);
});

it("reserves the speech of each candidate", () => {
  const call = { inputTokens: 5, characters: 100, letters: 100, speed: 1, candidates: 3 };
  expect(maxSpeechCostNano({ prices, maxAudioSeconds: 17 }, call)).toBe(1_500_000 + 3 * 425 * 12_000);
});
