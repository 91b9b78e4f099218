import { expect, it } from "vitest";
import {
  detectLatinLanguage,
  languageOfScript,
  loadLanguageScores,
  type ScoreLanguages,
} from "../../../lib/text/detect-language";
import { countScripts, scriptOf, splitByScript } from "../../../lib/text/scripts";
import { SENTENCES } from "../../support/sentences";

const scores = await loadLanguageScores();
const LATIN = ["en", "es", "fr", "de", "it", "pt", "nl", "pl", "tr", "vi"];
const silent: ScoreLanguages = () => [];

it.each(LATIN)("tells sentences of five words or more in '%s'", (language) => {
  const wrong = (SENTENCES[language] ?? []).filter(
    (text) => detectLatinLanguage(text, "en", scores) !== language,
  );
  expect(wrong).toEqual([]);
});

it("tells four of five foreign sentences in the middle of a German text", () => {
  for (const language of LATIN) {
    const sentences = SENTENCES[language] ?? [];
    const right = sentences.filter((text) => detectLatinLanguage(text, "de", scores) === language);
    expect(right.length / sentences.length, language).toBeGreaterThanOrEqual(0.8);
  }
});

it("does not take English for the language of a name or a dish in it", () => {
  for (const text of [
    "São Paulo is a very big city.",
    "The jalapeño was very hot today.",
    "My friend Łukasz lives in Kraków now.",
    "Đorđe and Nguyễn won the match.",
  ]) {
    expect(detectLatinLanguage(text, "en", scores)).toBe("en");
  }
});

it("stays with the language around a word too short to tell", () => {
  expect(detectLatinLanguage("ok", "fr", scores)).toBe("fr");
  expect(detectLatinLanguage("12 %", "pl", scores)).toBe("pl");
  expect(detectLatinLanguage("Zzxq vvkj", "it", silent)).toBe("it");
});

it.each([
  ["Cyrillic", "Завтра будет дождь", "ru"],
  ["Cyrillic", "Завтра буде дощ і вітер, її", "uk"],
  ["Arabic", "سيكون الطقس جميلا", "ar"],
  ["Arabic", "چطور هستید", "fa"],
  ["Devanagari", "कल सुबह", "hi"],
  ["Hangul", "내일 아침", "ko"],
  ["Kana", "あした", "ja"],
  ["Han", "明天早上", "zh"],
  ["Latin", "tomorrow", null],
] as const)("reads %s letters such as %s as %s", (script, text, language) => {
  expect(countScripts(text).has(script)).toBe(true);
  expect(languageOfScript(script, text)).toBe(language);
});

it("leaves digits, marks and spaces to the script before them", () => {
  expect(scriptOf("5")).toBeNull();
  expect(scriptOf("\u0301")).toBeNull();
  expect(splitByScript("Version 2: Привет, мир! 你好", (script) => script)).toEqual([
    { script: "Latin", text: "Version 2: " },
    { script: "Cyrillic", text: "Привет, мир! " },
    { script: "Han", text: "你好" },
  ]);
});
