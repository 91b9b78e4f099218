import { expect, it } from "vitest";
import {
  detectLatinLanguage,
  type GuessLanguage,
  languageOfScript,
  loadLanguageDetector,
} from "../../../lib/text/detect-language";
import { countScripts, scriptOf, splitByScript } from "../../../lib/text/scripts";
import { SENTENCES } from "../../support/sentences";

const guess = await loadLanguageDetector();
const LATIN = ["en", "es", "fr", "de", "it", "pt", "nl", "pl", "tr", "vi"];
const unsure: GuessLanguage = () => ({ language: "", isReliable: false, scores: {} });

it.each(LATIN)("detects at least 98 %% of the sentences inside a text in '%s'", (fallback) => {
  const wrong: string[] = [];
  let count = 0;
  for (const language of LATIN) {
    for (const text of SENTENCES[language] ?? []) {
      count += 1;
      if (detectLatinLanguage(text, fallback, guess) !== language) wrong.push(text);
    }
  }
  expect(count).toBeGreaterThan(150);
  expect(wrong.length / count, wrong.join(" | ")).toBeLessThanOrEqual(0.02);
});

it("does not switch from English for a foreign name or dish", () => {
  for (const text of [
    "São Paulo is a very big city.",
    "The jalapeño was very hot today.",
    "My friend Łukasz lives in Kraków now.",
    "Đorđe and Nguyễn won the match.",
  ]) {
    expect(detectLatinLanguage(text, "en", guess)).toBe("en");
  }
});

it("reads short English texts as English, and short greetings of other languages as theirs", () => {
  for (const text of ["Hello world", "Hello, world!", "Dinner at 8", "Fire alarm", "Wind alert"])
    expect(detectLatinLanguage(text, "en", guess), text).toBe("en");
  for (const [text, language] of [
    ["Guten Morgen zusammen", "de"],
    ["Bonjour tout le monde", "fr"],
    ["Buenas noches, señora", "es"],
  ] as const)
    expect(detectLatinLanguage(text, "en", guess), text).toBe(language);
});

it("keeps the surrounding language for a word too short to detect", () => {
  expect(detectLatinLanguage("ok", "fr", guess)).toBe("fr");
  expect(detectLatinLanguage("12 %", "pl", guess)).toBe("pl");
  expect(detectLatinLanguage("Zzxq vvkj", "it", unsure)).toBe("it");
});

it.each([
  ["Cyrillic", "Завтра будет дождь", "ru"],
  ["Cyrillic", "Завтра буде дощ і вітер, її", "uk"],
  ["Cyrillic", "Ще вали дъжд", "bg"],
  ["Cyrillic", "Выйдут из подъезда объекты, э", "ru"],
  ["Arabic", "سيكون الطقس جميلا", "ar"],
  ["Arabic", "چطور هستید", "fa"],
  ["Arabic", "ياخشىمۇسىز دۇنيا", "ug"],
  ["Arabic", "توھان ڪيئن آھيو، ڄاڻ", "sd"],
  ["Cyrillic", "Һаумыһығыҙ, дуҫтар", "ba"],
  ["Cyrillic", "Җәй килде", "tt"],
  ["Cyrillic", "Қалың қалай", "kk"],
  ["Cyrillic", "Менің атым Айдос", "kk"],
  ["Cyrillic", "Кандайсың, жүрөгүм", "ky"],
  ["Devanagari", "कल सुबह", "hi"],
  ["Hangul", "내일 아침", "ko"],
  ["Kana", "あした", "ja"],
  ["Han", "明天早上", "zh"],
  ["Latin", "tomorrow", null],
] as const)("maps %s letters such as %s to the language %s", (script, text, language) => {
  expect(countScripts(text).has(script)).toBe(true);
  expect(languageOfScript(script, text)).toBe(language);
});

it("assigns digits, marks and spaces to the preceding script", () => {
  expect(scriptOf("5")).toBeNull();
  expect(scriptOf("\u0301")).toBeNull();
  expect(splitByScript("Version 2: Привет, мир! 你好", (script) => script)).toEqual([
    { script: "Latin", text: "Version 2: " },
    { script: "Cyrillic", text: "Привет, мир! " },
    { script: "Han", text: "你好" },
  ]);
});
