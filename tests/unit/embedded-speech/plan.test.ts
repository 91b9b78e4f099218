import { describe, expect, it } from "vitest";
import { planSpeech } from "../../../lib/providers/embedded-speech/plan";
import type { SpeechChunk } from "../../../lib/providers/embedded-speech/protocol";
import { runSteps } from "../../support/steps";

interface PlanOptions {
  language?: string;
  voice?: string;
  speed?: number;
  isTight?: boolean;
}

function plan(
  text: string | readonly string[],
  { language, voice = "Kore", speed = 1, isTight = false }: PlanOptions = {},
): SpeechChunk[] {
  const segments = [text].flat().map((line) => ({ text: line, voice }));
  const request = { model: "patchbay-speech", segments, speed, language };
  const chunks = runSteps(planSpeech(request, { isTight: () => isTight }));
  return [...{ [Symbol.iterator]: () => chunks }].filter((chunk) => chunk !== null);
}
const languages = (text: string | readonly string[], options?: PlanOptions) =>
  plan(text, options).map(({ text, language }) => [text, language]);

describe("kanji", () => {
  it.each([
    ["日本語のテキストです。", undefined],
    ["東京", "ja"],
    ["こんにちは 東京", "ja-JP"],
    ["コーヒーを飲む", undefined],
  ])("are refused in %s (languageCode %s) with a message that names an alternative", (text, language) => {
    expect(() => plan(text, { language })).toThrow(/kanji, only kana.*upstream that speaks Japanese/s);
    expect(() => plan(text, { language })).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  it("are spoken as Chinese characters when the text is Chinese", () => {
    expect(languages("東京", { language: "zh" })).toEqual([["東京", "zh"]]);
    expect(languages("你好")).toEqual([["你好", "zh"]]);
  });

  it("are refused and named when the Chinese engine would spell them as a number", () => {
    expect(() => plan("好𠀋")).toThrow("cannot read the character '𠀋'");
  });
});

it("speaks each script of a mixed text in its language", () => {
  expect(languages("Привет, мир. 안녕하세요. שלום. Hello there.")).toEqual([
    ["Привет, мир.", "ru"],
    ["안녕하세요.", "ko"],
    ["שלום.", "he"],
    ["Hello there.", null],
  ]);
});

it("reads numbers alone in the given language, or in the language of their digits", () => {
  expect(languages("12,5", { language: "fr" })).toEqual([["12,5", "fr"]]);
  expect(languages("42")).toEqual([["42", null]]);
  expect(languages("KTX 안녕. 42!")).toEqual([
    ["KTX 안녕.", "ko"],
    ["42!", "ko"],
  ]);
  expect(languages("१२३")).toEqual([["१२३", "hi"]]);
});

it("detects the language of a dialogue's lines from all of them", () => {
  const chunks = plan(["Guten Morgen, Jonas!", "Sehr gern."]);
  expect(chunks.map(({ context }) => context)).toEqual(Array(2).fill("Guten Morgen, Jonas!\nSehr gern."));
  expect(languages(["8:30", "现在几点了？", "12.5"])).toEqual([
    ["8:30", "zh"],
    ["现在几点了？", "zh"],
    ["12.5", "zh"],
  ]);
});

it("reads a language in each script that it is written in", () => {
  expect(languages("Danas je lep dan. Данас је леп дан.", { language: "sr" })).toEqual([
    ["Danas je lep dan.", "sr"],
    ["Данас је леп дан.", "sr"],
  ]);
  expect(languages("Бугун ҳаво яхши", { language: "uz" })).toEqual([["Бугун ҳаво яхши", "uz"]]);
  expect(languages("Privet", { language: "ru" })).toEqual([["Privet", "en"]]);
});

it.each([
  ["สวัสดีครับ", "Thai script"],
  ["ကြောင်", "Myanmar script"],
  ["𐎀𐎁", "the script of this text"],
])("refuses %s and names its script", (text, message) => {
  expect(() => plan(text)).toThrow(message);
});

it("refuses an unsupported language, and an unknown voice", () => {
  expect(() => plan("hello", { language: "tlh" })).toThrow("languageCode 'tlh' is not supported");
  expect(() => plan("hello", { voice: "Unknown" })).toThrow("'Unknown' is not a voice");
});

it.each(["🙂🙂", "", "…!", "\u0000\u0007"])("refuses %j because there is nothing to speak", (text) => {
  expect(() => plan(text)).toThrow("at least one letter or digit");
});

describe("the length of chunks", () => {
  const long =
    "The rain went on and on without an end in sight for all those who had to walk to work that day ".repeat(
      30,
    );

  it("is a sentence normally and three seconds when memory is short", () => {
    const longest = (isTight: boolean) =>
      Math.max(
        ...plan(long, { isTight })
          .slice(1)
          .map(({ text }) => text.length),
      );
    expect(longest(false)).toBeGreaterThan(120);
    expect(longest(true)).toBeLessThanOrEqual(45);
  });

  it("decreases with the speed, so that a chunk lasts no longer", () => {
    expect(Math.max(...plan(long, { speed: 0.25 }).map(({ text }) => text.length))).toBeLessThanOrEqual(40);
  });
});

it("pauses longest between paragraphs and least inside a sentence", () => {
  const pauses = plan("One.\n\nTwo. Three.").map(({ pauseMs }) => pauseMs);
  expect(pauses[0]).toBe(0);
  expect(pauses[1]).toBeGreaterThan(pauses[2] ?? 0);
  expect(pauses[2]).toBeGreaterThan(100);
});
