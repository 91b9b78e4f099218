import { expect, it } from "vitest";
import { cleanSpeechText, isSpeakable } from "../../../lib/text/clean-text";

it.each([
  ["Hi 🙂 there 👩‍👩‍👧!", "Hi   there    !"],
  ["keycap 1\u{FE0F}\u{20E3} flag 🇩🇪 wave 👋🏽", "keycap 1   flag    wave   "],
  ["bell\u0007 and \u001b[31mred", "bell  and  [31mred"],
  ["\u202Ereversed\u202C \u200Emark\u200F", "reversed mark"],
  ["one\r\ntwo\rthree\u2028four\u2029five", "one\ntwo\nthree\nfour\n\nfive"],
  ["cafe\u0301", "café"],
  ["soft\u00ADhyphen \uFEFF", "softhyphen "],
  ["© 2024 Acme™", "© 2024 Acme™"],
  ["ﬁnden, eﬀet, ﻻ", "finden, effet, لا"],
  ["ﻣﺮﺣﺒﺎ", "مرحبا"],
  ["שָׁלוֹם־עֲלֵיכֶם", "שלום־עליכם"],
])("cleans %j for speech", (text, cleaned) => {
  expect(cleanSpeechText(text)).toBe(cleaned);
});

it.each([
  ["# Title\n\n## Part\n* * *\n***", "Title\n\nPart\n\n"],
  ["**Note:** this is *very* _important_ or __not__.", "Note: this is very important or not."],
  ["***a*** **b *c* d** 这是**重点**内容", "a b c d 这是重点内容"],
  ["*(see note)* **(1)** first, **2**nd, Wort**fett**Wort", "(see note) (1) first, 2nd, WortfettWort"],
  ["Run `npm start`:\n```sh\nls\n```", "Run npm start:\n\nls\n"],
  ["* one\n  * two\n- three", "one\ntwo\n- three"],
  ["See [the guide](https://example.com/a?b=1).", "See the guide."],
])("removes the Markdown marks from %j", (text, cleaned) => {
  expect(cleanSpeechText(text)).toBe(cleaned);
});

it("keeps single marks, which belong to the text", () => {
  for (const text of [
    "5 * 3 * 2",
    "2**3**4",
    "(a)*(b)*(c)",
    "x**n + y**n",
    "x**2+y**2",
    "x**a+b**c",
    "a*b*c",
    "snake_case_name",
    "f***",
    "#1 of 2",
    "[a](b)",
    "* ",
    "_",
  ])
    expect(cleanSpeechText(text), text).toBe(text);
});

it("keeps a joiner inside a word and drops one left by an emoji", () => {
  expect(cleanSpeechText("می‌خواهم")).toBe("می‌خواهم");
  expect(cleanSpeechText("a \u200D b")).toBe("a  b");
});

it("finds nothing to speak in punctuation, emoji and length marks", () => {
  for (const text of ["", "…", "🙂🙂", "?!", "— * —", "ーーー", "々"]) {
    expect(isSpeakable(cleanSpeechText(text)), text).toBe(false);
  }
  for (const text of ["a", "5", "½", "あ", "〇", "१"])
    expect(isSpeakable(cleanSpeechText(text)), text).toBe(true);
});
