import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secondsOf } from "../../../lib/providers/local-voices/plan";
import { splitSentences } from "../../../lib/text/split-sentences";
import { spokenLength, spokenLengthEnd } from "../../../lib/text/spoken-length";

const LIMITS = { max: 160, first: 80 };
const split = (text: string, limits = LIMITS) => [...splitSentences(text, limits)];
const texts = (text: string, limits = LIMITS) => split(text, limits).map((chunk) => chunk.text);

describe("sentences", () => {
  it.each([
    ["Dr. Smith met J. R. Tolkien at 5 p.m. today.", 1],
    ["Pi is 3.14159. See example.com now.", 2],
    ["What?! No way... Really.", 3],
    ["你好。今天天气很好！我们走吧？", 3],
    ["यह एक वाक्य है। यह दूसरा है।", 2],
    ["Das ist z.B. ein Satz.", 1],
    ["George R.R. Martin met J.R.R. Tolkien.", 1],
    ["See p. 12, z. B. Obst, 5 Mio. Euro.", 1],
    ["Ludwig v. Beethoven, Umsatz in Mio. Euro.", 1],
    ["100 v. Chr. und д. 5, кв. 12.", 1],
    ["Solve for n. I think so. See p. XII.", 3],
    ["Il libro è mio. Я люблю рис. Press p. Then go.", 4],
    ['He said "Stop." Then he left.', 2],
  ])("splits %j into %i", (text, count) => {
    expect(texts(text)).toHaveLength(count);
  });

  it.each([["第一段。\n\n第二段。"], ["पहला।\n \nदूसरा।"], ["「一。」\n\n\n二。"]])(
    "ends a paragraph at a blank line after %j",
    (text) => {
      expect(split(text).map(({ end }) => end)).toEqual(["paragraph", expect.any(String)]);
    },
  );

  it("ends at a blank line and continues over a hard line break", () => {
    expect(split("A wrapped\nline here.\n\nNext part")).toEqual([
      { text: "A wrapped line here.", end: "paragraph" },
      { text: "Next part", end: "paragraph" },
    ]);
  });
});

describe("a line that ends with a mark", () => {
  it.each([
    ["To buy:\nmilk", ["To buy:", "milk"]],
    ["First,\nmilk", ["First, milk"]],
  ])("ends the sentence %j unless it is a comma", (text, chunks) => {
    expect(texts(text)).toEqual(chunks);
  });
});

describe("a first chunk", () => {
  it("ends at an early comma, so that audio starts soon", () => {
    const text =
      "When the rain had stopped, the children ran out into the yard to look for the puddles and the frogs.";
    expect(split(text)[0]).toEqual({ text: "When the rain had stopped,", end: "clause" });
  });

  it("is a whole sentence when that is only a little longer", () => {
    const text = "The quick brown fox jumps over the lazy dog and then runs off into the dark old forest.";
    expect(texts(text)).toEqual([text]);
  });

  it("ends at a space when the sentence is much longer", () => {
    const [first] = texts("word ".repeat(6_400));
    expect(first?.length).toBeLessThanOrEqual(80);
    expect(first).toMatch(/^(word )*word$/);
  });
});

it("splits 32,000 characters without a full stop and loses none", () => {
  const text = "lorem ipsum ".repeat(2_667).trim();
  const chunks = texts(text);
  expect(chunks.join(" ")).toBe(text);
  expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(160);
});

it("measures digits, symbols and ideographs by their spoken length", () => {
  expect(spokenLengthEnd("one plain sentence", 13)).toBe(13);
  expect(spokenLengthEnd("9".repeat(100), 100)).toBe(20);
  expect(spokenLengthEnd("漢".repeat(100), 100)).toBe(25);
  expect(spokenLengthEnd("%/%/%/%/%/", 35)).toBe(5);
  expect(spokenLengthEnd("short", 1_000)).toBe(5);
  // A local voice speaks 14 letters a second.
  expect([secondsOf("a".repeat(140), 1), secondsOf("漢".repeat(140), 2)]).toEqual([10, 20]);
  expect(["a plain one", "1234", "漢字", "½±≥", "5µg", ""].map(spokenLength)).toEqual([14, 20, 8, 45, 24, 0]);
});

it("keeps surrogate pairs and combining marks together and all characters in order for any text", () => {
  const letters = fc.constantFrom(
    "a",
    "é",
    "漢",
    "𝒳",
    "e\u0301",
    "か\u3099",
    " ",
    ". ",
    ", ",
    "\n",
    "9",
    "%",
    "क्ष",
  );
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 400 }), (parts) => {
      const text = parts.join("");
      const chunks = texts(text);
      const bare = (value: string) => value.replace(/\s+/gu, "");
      expect(bare(chunks.join(""))).toBe(bare(text));
      for (const chunk of chunks) {
        expect(chunk).not.toMatch(/\p{Cs}/u);
        expect(chunk).toBe(chunk.trim());
        expect(spokenLengthEnd(chunk, LIMITS.max)).toBe(chunk.length);
      }
    }),
    { seed: 8, numRuns: 300 },
  );
});
