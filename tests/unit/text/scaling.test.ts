import { describe, expect, test } from "vitest";
import { codePoints } from "../../../lib/contracts/code-points";
import { countInputs, countText } from "../../../lib/gateway/embeddings/count-inputs";
import { cutPrompt } from "../../../lib/gateway/metering/meter";
import { nearestName } from "../../../lib/gateway/speech/choose-voices";
import { scriptSpeakers } from "../../../lib/gateway/speech/script-speakers";
import { runInSlices } from "../../../lib/ports/run-in-slices";
import { nextChunk, planSpeech } from "../../../lib/providers/embedded-speech/plan";
import { findUnreadableHan, respellHan, respellKana } from "../../../lib/providers/espeak/han";
import { addText, embedText } from "../../../lib/providers/lexical/embed-text";
import { cleanSpeechText, isSpeakable } from "../../../lib/text/clean-text";
import { detectLatinLanguage, languageOfScript } from "../../../lib/text/detect-language";
import { countScripts, splitByScript } from "../../../lib/text/scripts";
import { splitSentences } from "../../../lib/text/split-sentences";
import { spokenLengthEnd } from "../../../lib/text/spoken-length";
import { countTokens, countTokensInSteps, decodeTokens } from "../../../lib/text/tokenize";
import { costOf, growthOf, longestStepMs, runSteps } from "../../support/steps";

/**
 * Functions of the request path that read a caller's text take linear time, run in short steps and stop when the caller
 * leaves.
 */

const LENGTH = 32_000;
/** Allowed cost factor of a text twice as long: linear, with tolerance for the machine. */
const MAX_GROWTH = 2.6;
const MAX_STEP_MS = 20;

/** Inputs that made text functions slow: characters that end, close or join something, alone and before a letter. */
const UNITS = [
  ...'!.。"’,:、 \n\r*%=a9é漢あคꀀ\u0301\u200d\ufdfa\ud83d',
  "😀",
  "! ",
  "!\n",
  '."',
  ". A",
  ", ",
  "\r\n",
  "\n ",
  "a\u0301",
  "A:",
  "::\n",
  "漢 ",
];

const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));
const LIMITS = { max: 160, first: 80 };
const SPEAKERS = ["A", "Ann", "Ann Lee", "Bob"].map((speaker) => ({ speaker, voice: "Kore" }));
const drain = (chunks: Iterable<unknown>) => {
  for (const _ of chunks);
};
const planned = (text: string) => {
  const request = { model: "patchbay-speech", segments: [{ text: `${text}a`, voice: "Kore" }], speed: 1 };
  return planSpeech(request, { isTight: () => false });
};
function plan(text: string): void {
  try {
    const chunks = runSteps(planned(text));
    while (!chunks.next().done);
  } catch (error) {
    // Scripts that no engine supports are refused after the same work.
    if (!(error instanceof Error && error.message.includes("cannot read"))) throw error;
  }
}

const FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  splitSentences: (text) => drain(splitSentences(text, LIMITS)),
  "splitSentences before a letter": (text) => drain(splitSentences(`${text}a`, LIMITS)),
  cleanSpeechText,
  isSpeakable,
  countScripts,
  splitByScript: (text) => splitByScript(text, (script) => script),
  languageOfScript: (text) => [languageOfScript("Cyrillic", text), languageOfScript("Arabic", text)],
  detectLatinLanguage: (text) =>
    detectLatinLanguage(`${text} abcd`, "en", () => ({
      language: "fr",
      isReliable: true,
      scores: { fr: 1 },
    })),
  spokenLengthEnd: (text) => spokenLengthEnd(text, Number.POSITIVE_INFINITY),
  countTokens,
  scriptSpeakers: (text) => runSteps(scriptSpeakers([{ text }], SPEAKERS)),
  planSpeech: plan,
  cutPrompt,
  codePoints,
  nearestName: (text) => nearestName(text, ["Kore", "Zephyr"]),
  findUnreadableHan: (text) => findUnreadableHan(`漢${text}`),
  respellHan,
  respellKana,
  embedText: (text) => embedText(text, 1_024),
};

describe("the request path", () => {
  test.each(Object.entries(FUNCTIONS))(
    "%s costs about four times as much for a text four times as long",
    { timeout: 120_000 },
    (_name, work) => {
      const slow = UNITS.flatMap((unit) => {
        const texts = new Map([LENGTH / 4, LENGTH].map((length) => [length, filled(unit, length)]));
        const growth = growthOf((length) => work(texts.get(length) ?? ""), LENGTH / 4, 4);
        return growth > MAX_GROWTH ** 2 ? [`${JSON.stringify(unit)}: ${growth.toFixed(1)} times`] : [];
      });
      expect(slow).toEqual([]);
    },
  );
});

test.each(UNITS)("32,000 of %j are split into sentences in less than 100 ms", (unit) => {
  for (const end of ["", "a", " a", "x y"]) {
    const text = filled(unit, LENGTH) + end;
    expect(costOf(() => drain(splitSentences(text, LIMITS)), { enoughMs: 100 })).toBeLessThan(100);
  }
});

describe(`steps of at most ${MAX_STEP_MS} ms`, () => {
  const long = 256 * 1_024;
  test("are taken by counting tokens", { timeout: 60_000 }, () => {
    for (const unit of ["a", " ", "=", "é", "漢", "\n ", "a "])
      expect(
        longestStepMs(() => countTokensInSteps(`${filled(unit, long)}x`), MAX_STEP_MS),
        unit,
      ).toBeLessThan(MAX_STEP_MS);
  });
  test("are taken by embedding a text", { timeout: 60_000 }, () => {
    for (const unit of ["a", " ", "=", "é", "a ", "= "])
      expect(
        longestStepMs(() => addText(filled(unit, long), new Float64Array(1_024)), MAX_STEP_MS),
        unit,
      ).toBeLessThan(MAX_STEP_MS);
    // An ideograph is at least one token, and a text has at most 8,192.
    for (const unit of ["漢", "漢a", "\ufdfa"])
      expect(
        longestStepMs(() => addText(filled(unit, 16_384), new Float64Array(1_024)), MAX_STEP_MS),
      ).toBeLessThan(MAX_STEP_MS);
  });
  test("are taken by assigning the speakers of a script", () => {
    for (const unit of ["a\n", "*\n", "Ann:a\nBob:b\n", "\n"])
      expect(
        longestStepMs(() => scriptSpeakers([{ text: filled(unit, 250_000) }], SPEAKERS), MAX_STEP_MS),
      ).toBeLessThan(MAX_STEP_MS);
  });
  test("are taken by planning speech and by each of its chunks", { timeout: 60_000 }, () => {
    for (const unit of ["a", "! ", "!\n", "%", "\u0301", ". A", "あ"]) {
      const text = filled(unit, LENGTH);
      expect(
        longestStepMs(() => planned(text), MAX_STEP_MS),
        unit,
      ).toBeLessThan(MAX_STEP_MS);
      const chunks = function* () {
        const each = runSteps(planned(text));
        while (!each.next().done) yield;
      };
      expect(longestStepMs(chunks, MAX_STEP_MS), unit).toBeLessThan(MAX_STEP_MS);
    }
    const segments = Array.from({ length: 16_000 }, (_, at) => ({
      text: "a",
      voice: at % 2 ? "Kore" : "Puck",
    }));
    const request = { model: "patchbay-speech", segments, speed: 1 };
    expect(longestStepMs(() => planSpeech(request, { isTight: () => false }), MAX_STEP_MS)).toBeLessThan(
      MAX_STEP_MS,
    );
  });
  test("are taken by planning speech, after every sentence without spoken text", () => {
    const marks = "! ".repeat(32_000);
    const request = {
      model: "patchbay-speech",
      segments: [{ text: `Yes. ${marks}No`, voice: "Kore" }],
      speed: 1,
    };
    const chunks = runSteps(planSpeech(request, { isTight: () => false }));
    const stepsToNext = () => [...nextChunk(chunks)].length;
    expect([stepsToNext(), stepsToNext(), stepsToNext()]).toEqual([0, 32_000, 0]);
  });
  test("are enough to decode 8,192 token IDs", () => {
    const decode = () => decodeTokens(Array.from({ length: 8_192 }, () => 100_255));
    expect(costOf(decode, { enoughMs: MAX_STEP_MS })).toBeLessThan(MAX_STEP_MS);
  });
});

describe("a caller who leaves", () => {
  /** A signal that aborts in the first turn of the event loop. */
  function leavingSoon(): AbortSignal {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    return controller.signal;
  }
  const counter = () => ({ services: { countTokens, countTokensInSteps }, signal: leavingSoon() });
  const text = "= ".repeat(500_000);

  test("stops the count of one long text, and of many texts", async () => {
    const whole = costOf(() => countTokens(text), { runs: 2 });
    const part = async (count: () => Promise<unknown>) => {
      const began = process.cpuUsage();
      await expect(count()).rejects.toMatchObject({ code: "caller_left" });
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1_000;
    };
    expect(await part(() => countText(counter(), text))).toBeLessThan(Math.max(whole / 2, 20));
    const many = Array.from({ length: 300 }, () => ({ text: "= ".repeat(1_000) }));
    expect(await part(() => countInputs(counter(), many, null))).toBeLessThan(Math.max(whole / 2, 20));
  });

  test("stops work between two steps and closes its generator", async () => {
    let steps = 0;
    let isEnded = false;
    function* endless(): Generator<void, void, void> {
      try {
        for (;;) {
          steps++;
          yield;
        }
      } finally {
        isEnded = true;
      }
    }
    await expect(runInSlices(endless(), leavingSoon())).rejects.toMatchObject({ code: "caller_left" });
    const counted = steps;
    await new Promise((resolve) => setImmediate(resolve));
    expect({ isEnded, counted }).toEqual({ isEnded: true, counted: steps });
  });

  test("stops work before its first step", async () => {
    let steps = 0;
    function* counted(): Generator<void, void, void> {
      steps++;
      yield;
    }
    await expect(runInSlices(counted(), AbortSignal.abort())).rejects.toMatchObject({ code: "caller_left" });
    expect(steps).toBe(0);
  });
});
