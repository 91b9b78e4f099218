import { expect, test } from "vitest";
import { MORE_SPEECH_LANGUAGES, SPEECH_LANGUAGES } from "@/components/speech/language-list";
import { byName } from "@/components/speech/language-names";
import { baseLanguage, ESPEAK_LANGUAGES } from "@/lib/providers/espeak/languages";

test("the language picker offers every language of the built-in engines once", () => {
  const offered = [...SPEECH_LANGUAGES, ...MORE_SPEECH_LANGUAGES].map(baseLanguage);
  expect([...new Set(offered)].sort()).toEqual([...ESPEAK_LANGUAGES.keys(), "en"].sort());
  expect(new Set(MORE_SPEECH_LANGUAGES.map(baseLanguage)).size).toBe(MORE_SPEECH_LANGUAGES.length);
});

test("languages are sorted by their names in the page's language", () => {
  expect(byName(["sv", "cs", "da"], "en").map(({ name }) => name)).toEqual(["Czech", "Danish", "Swedish"]);
  expect(byName(["sv", "cs"], "zh").map(({ name }) => name)).toEqual(["捷克语", "瑞典语"]);
});
