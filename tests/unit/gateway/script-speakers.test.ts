import { describe, expect, it } from "vitest";
import { scriptSpeakers, singleSpeaker } from "../../../lib/gateway/speech/script-speakers";
import { runSteps } from "../../support/steps";

const CAST = [
  { speaker: "Joe", voice: "Puck" },
  { speaker: "Jane", voice: "Kore" },
];
const deal = (text: string, cast = CAST) =>
  runSteps(scriptSpeakers([{ text }], cast)).map(({ speaker, text }) => [speaker, text]);

describe("dealing a script to its speakers", () => {
  it.each<[string, string, [string, string][]]>([
    [
      "gives each line to its speaker",
      "Joe: Hi.\nJane: Hello.\nJoe: Bye.",
      [
        ["Joe", "Hi."],
        ["Jane", "Hello."],
        ["Joe", "Bye."],
      ],
    ],
    ["leaves an opening instruction out", "TTS the following conversation:\nJoe: Hi.", [["Joe", "Hi."]]],
    [
      "leaves it out though it has the speakers' names in it",
      "A talk of Joe and Jane:\n\nJane: Hi.",
      [["Jane", "Hi."]],
    ],
    [
      "speaks an opening line without a colon, by the first speaker",
      "Good morning.\nJane: Hi.",
      [
        ["Joe", "Good morning."],
        ["Jane", "Hi."],
      ],
    ],
    [
      "speaks a later line that ends in a colon",
      "Joe: Hear this:\nsome words:\nJane: Yes.",
      [
        ["Joe", "Hear this:\nsome words:"],
        ["Jane", "Yes."],
      ],
    ],
    [
      "continues the last speaker on lines without a known name",
      "Jane: One.\nTwo.\nBob: three.",
      [["Jane", "One.\nTwo.\nBob: three."]],
    ],
    ["takes a name alone on its line", "Jane:\nOne.", [["Jane", "One."]]],
    [
      "knows names in any case, in bold, and before a wide colon",
      "JOE: a\n**Jane:** b\n**Joe**: c\nJane： d\nJoe : e",
      [
        ["Joe", "a"],
        ["Jane", "b"],
        ["Joe", "c"],
        ["Jane", "d"],
        ["Joe", "e"],
      ],
    ],
    ["takes no name for a part of another", "Joel: hi", [["Joe", "Joel: hi"]]],
    [
      "passes over empty lines and other line ends",
      "Joe: a\r\n\r\nJane: b\rJoe: c",
      [
        ["Joe", "a"],
        ["Jane", "b"],
        ["Joe", "c"],
      ],
    ],
  ])("%s", (_what, text, expected) => {
    expect(deal(text)).toEqual(expected);
  });

  it("takes the longer of two names that begin alike", () => {
    const cast = [
      { speaker: "Ann", voice: "Kore" },
      { speaker: "Ann: the second", voice: "Puck" },
    ];
    expect(deal("Ann: the second: hi\nAnn: ho", cast)).toEqual([
      ["Ann: the second", "hi"],
      ["Ann", "ho"],
    ]);
  });

  it("lets a single speaker say everything", () => {
    expect(deal("Say this:\nJoe: Hi.\nBob: Ho.", CAST.slice(0, 1))).toEqual([
      ["Joe", "Say this:\nHi.\nBob: Ho."],
    ]);
  });

  it("gives a part to the speaker it names, whatever its lines say", () => {
    const parts = [
      { text: "Read this:", speaker: "jane", style: "slowly" },
      { text: "Joe: mine", speaker: "Jane" },
      { text: "and on" },
    ];
    expect(runSteps(scriptSpeakers(parts, CAST))).toEqual([
      { text: "Read this:", voice: "Kore", speaker: "Jane", style: "slowly" },
      { text: "mine\nand on", voice: "Kore", speaker: "Jane" },
    ]);
  });

  it("finds nothing in an instruction alone", () => {
    expect(deal("Say nothing:")).toEqual([]);
  });

  it("deals out a line of a hundred thousand spaces at once", () => {
    const began = performance.now();
    deal(`Joe${" ".repeat(100_000)}x\n${"* ".repeat(50_000)}`);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe("a single voice", () => {
  it("says all parts in one breath, joined by line breaks, names and all", () => {
    expect(singleSpeaker([{ text: "Say:" }, { text: "Joe: Hi." }], "Kore")).toEqual([
      { text: "Say:\nJoe: Hi.", voice: "Kore" },
    ]);
  });

  it("says parts apart when they ask for a manner of their own", () => {
    expect(singleSpeaker([{ text: "a", style: "loud" }, { text: " " }, { text: "b" }], "Kore")).toEqual([
      { text: "a", voice: "Kore", style: "loud" },
      { text: "b", voice: "Kore" },
    ]);
  });
});
