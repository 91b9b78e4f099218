import { describe, expect, it, test } from "vitest";
import { findNameError, findNames, freeName, readScript, renameSpeaker } from "@/components/speech/script";
import { scriptSpeakers, singleSpeaker } from "../../../lib/gateway/speech/script-speakers";
import { runSteps } from "../../support/steps";

/** The script parser in its two uses: the gateway speaks scripts, the playground's editor colours and edits them. */

const NAMES = ["Joe", "Jane"];
const speakersOf = (names: readonly string[]) => names.map((name) => ({ name, voice: `${name}'s voice` }));

/** The segments that the gateway speaks. */
function spoken(text: string, names = NAMES) {
  const speakers = names.map((speaker) => ({ speaker, voice: "Kore" }));
  return runSteps(scriptSpeakers([{ text }], speakers)).map(({ speaker, text }) => [speaker, text]);
}

/** The editor's view in the same form: the lines with a speaker, without their labels, joined by speaker. */
function coloured(text: string, names = NAMES) {
  const segments: [string, string][] = [];
  for (const line of readScript(text, speakersOf(names))) {
    const spokenText = line.text.slice(line.labelLength).trim();
    const name = line.speaker === null ? undefined : names[line.speaker];
    if (name === undefined || spokenText === "") continue;
    const last = segments.at(-1);
    if (last?.[0] === name) last[1] += `\n${spokenText}`;
    else segments.push([name, spokenText]);
  }
  return segments;
}

describe("gateway and editor", () => {
  it.each<[string, string, [string, string][]]>([
    [
      "each line has its speaker",
      "Joe: Hi.\nJane: Hello.\nJoe: Bye.",
      [
        ["Joe", "Hi."],
        ["Jane", "Hello."],
        ["Joe", "Bye."],
      ],
    ],
    ["an opening instruction is left out", "TTS the following conversation:\nJoe: Hi.", [["Joe", "Hi."]]],
    [
      "an opening instruction that mentions the speakers is left out",
      "A talk of Joe and Jane:\n\nJane: Hi.",
      [["Jane", "Hi."]],
    ],
    [
      "an opening line without a colon has the first speaker",
      "Good morning.\nJane: Hi.",
      [
        ["Joe", "Good morning."],
        ["Jane", "Hi."],
      ],
    ],
    [
      "a later line that ends in a colon is spoken",
      "Joe: Hear this:\nsome words:\nJane: Yes.",
      [
        ["Joe", "Hear this:\nsome words:"],
        ["Jane", "Yes."],
      ],
    ],
    [
      "lines without a known name continue the last speaker",
      "Jane: One.\nTwo.\nBob: three.",
      [["Jane", "One.\nTwo.\nBob: three."]],
    ],
    ["a name may be alone on its line", "Jane:\nOne.", [["Jane", "One."]]],
    [
      "names may be in any case, in bold, and before a full-width colon",
      "JOE: a\n**Jane:** b\n**Joe**: c\nJane： d\nJoe : e\n *jane*: f",
      [
        ["Joe", "a"],
        ["Jane", "b"],
        ["Joe", "c"],
        ["Jane", "d"],
        ["Joe", "e"],
        ["Jane", "f"],
      ],
    ],
    ["the start of a longer name is no name", "Joel: hi", [["Joe", "Joel: hi"]]],
    ["a name far from its colon is no name", "Jane     : hi", [["Joe", "Jane     : hi"]]],
    [
      "blank lines are skipped and every line break is accepted",
      "Joe: a\r\n\r\nJane: b\rJoe: c",
      [
        ["Joe", "a"],
        ["Jane", "b"],
        ["Joe", "c"],
      ],
    ],
    ["an instruction alone has nothing to speak", "Say nothing:", []],
  ])("parse a script alike: %s", (_what, text, expected) => {
    expect(spoken(text)).toEqual(expected);
    expect(coloured(text)).toEqual(expected);
  });

  it("match the longer of two names that start alike", () => {
    const names = ["Ann", "Ann: the second"];
    const expected = [
      ["Ann: the second", "hi"],
      ["Ann", "ho"],
    ];
    expect(spoken("Ann: the second: hi\nAnn: ho", names)).toEqual(expected);
    expect(coloured("Ann: the second: hi\nAnn: ho", names)).toEqual(expected);
  });

  it("match a name in composed and in decomposed form", () => {
    for (const form of ["NFC", "NFD"]) {
      const names = ["Zoé".normalize(form === "NFC" ? "NFD" : "NFC"), "Jane"];
      const text = "Jane: hi\nZoé: ho".normalize(form);
      const expected = [
        ["Jane", "hi"],
        [names[0], "ho"],
      ];
      expect(spoken(text, names)).toEqual(expected);
      expect(coloured(text, names)).toEqual(expected);
    }
  });

  it("give every line to a single speaker, including an opening instruction", () => {
    const expected = [["Joe", "Say this:\nHi.\nBob: Ho."]];
    expect(spoken("Say this:\nJoe: Hi.\nBob: Ho.", ["Joe"])).toEqual(expected);
    expect(coloured("Say this:\nJoe: Hi.\nBob: Ho.", ["Joe"])).toEqual(expected);
  });
});

describe("the gateway's segments", () => {
  const speakers = [
    { speaker: "Joe", voice: "Puck" },
    { speaker: "Jane", voice: "Kore" },
  ];

  it("give a part to the speaker in its metadata, whatever names its lines start with", () => {
    const parts = [
      { text: "Read this:", speaker: "jane", style: "slowly" },
      { text: "Joe: mine", speaker: "Jane" },
      { text: "and on" },
    ];
    expect(runSteps(scriptSpeakers(parts, speakers))).toEqual([
      { text: "Read this:", voice: "Kore", speaker: "Jane", style: "slowly" },
      { text: "mine\nand on", voice: "Kore", speaker: "Jane" },
    ]);
  });

  it("continue with the speaker of an empty part", () => {
    const parts = [{ text: "", speaker: "Jane" }, { text: "Hi." }];
    expect(runSteps(scriptSpeakers(parts, speakers))).toEqual([
      { text: "Hi.", voice: "Kore", speaker: "Jane" },
    ]);
  });

  it("are parsed in less than 500 ms from lines of a hundred thousand spaces or asterisks", () => {
    const began = performance.now();
    spoken(`Joe${" ".repeat(100_000)}x\n${"* ".repeat(50_000)}`);
    expect(performance.now() - began).toBeLessThan(500);
  });

  it("join all parts of a single voice by line breaks, including names", () => {
    expect(singleSpeaker([{ text: "Say:" }, { text: "Joe: Hi." }], "Kore")).toEqual([
      { text: "Say:\nJoe: Hi.", voice: "Kore" },
    ]);
  });

  it("separate the parts of a single voice when one has a style", () => {
    expect(singleSpeaker([{ text: "a", style: "loud" }, { text: " " }, { text: "b" }], "Kore")).toEqual([
      { text: "a", voice: "Kore", style: "loud" },
      { text: "b", voice: "Kore" },
    ]);
  });
});

describe("the editor's speakers", () => {
  test("labelLength covers white space, bold markers, name and colon", () => {
    const lines = readScript("JOE: Hi\n **Jane:** Hi\nHi", speakersOf(NAMES));
    expect(lines).toEqual([
      { text: "JOE: Hi", labelLength: 4, speaker: 0 },
      { text: " **Jane:** Hi", labelLength: 10, speaker: 1 },
      { text: "Hi", labelLength: 0, speaker: 1 },
    ]);
  });

  test("finds names at the start of lines, also in bold, each once and at most eight", () => {
    expect(
      findNames("Read this aloud:\n**Ana:** hi\nBen: yo\nana: again\nAt that very same moment: no"),
    ).toEqual(["Ana", "Ben"]);
    expect(findNames(Array.from({ length: 12 }, (_, at) => `S${at}: x`).join("\n"))).toHaveLength(8);
  });

  test("renaming a speaker changes only the labels of their lines", () => {
    expect(renameSpeaker("Ana: I am Ana: yes\r\n**ANA:** no\nBen: Ana?", "ana", "$& Zoë")).toBe(
      "$& Zoë: I am Ana: yes\r\n**$& Zoë:** no\nBen: Ana?",
    );
  });

  test("renaming a speaker replaces the name in either Unicode form, and nothing else", () => {
    const composed = "Jos\u00e9";
    const decomposed = "Jose\u0301";
    const text = `${composed}: one\n${decomposed}: two`;
    for (const from of [composed, decomposed])
      expect(renameSpeaker(text, from, "Ana")).toBe("Ana: one\nAna: two");
    const voice = "Kore";
    expect(
      findNameError([
        { name: composed, voice },
        { name: decomposed.toUpperCase(), voice },
      ]),
    ).toBe("same-name");
  });

  test("a new speaker gets a name that is not taken", () => {
    expect(freeName("Speaker", [{ name: "speaker 2", voice: "Kore" }])).toBe("Speaker 3");
  });

  test("equal, empty and colon-bearing names are reported before the script is sent", () => {
    const speakers = speakersOf(NAMES);
    expect(findNameError(speakers)).toBeNull();
    expect(findNameError([...speakers, { name: "JOE", voice: "Leda" }])).toBe("same-name");
    expect(findNameError([{ name: " ", voice: "Leda" }])).toBe("empty-name");
    expect(findNameError([{ name: "a:b", voice: "Leda" }])).toBe("colon");
  });
});
