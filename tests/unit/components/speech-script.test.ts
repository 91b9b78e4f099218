import { expect, test } from "vitest";
import { castFault, freeName, namesIn, readScript, renameSpeaker } from "@/components/speech/script";

const cast = [
  { name: "Ana", voice: "Kore" },
  { name: "Ben", voice: "Puck" },
];

test("a line belongs to the speaker it names, in any case and with a wide colon", () => {
  const lines = readScript("ANA: Hi\nben： 你好", cast);
  expect(lines.map((line) => line.speaker)).toEqual(["Ana", "Ben"]);
  expect(lines[0]?.labelLength).toBe(5);
});

test("a line without a known name goes on with the last speaker, and nobody says an opening instruction", () => {
  const lines = readScript("Say it slowly:\nAna: one\ntwo\n\nNote: three\nBen: four", cast);
  expect(lines.map((line) => line.speaker)).toEqual([null, "Ana", "Ana", null, "Ana", "Ben"]);
  expect(readScript("Hello there\nBen: hi", cast)[0]?.speaker).toBe("Ana");
});

test("names are found where lines open with them, once each and at most eight", () => {
  expect(namesIn("Read this aloud:\nAna: hi\nBen: yo\nana: again\nAt that very same moment: no")).toEqual([
    "Ana",
    "Ben",
  ]);
  expect(namesIn(Array.from({ length: 12 }, (_, at) => `S${at}: x`).join("\n"))).toHaveLength(8);
});

test("renaming a speaker rewrites their lines alone", () => {
  expect(renameSpeaker("Ana: I am Ana: yes\nBen: Ana?", "ana", "$& Zoë")).toBe(
    "$& Zoë: I am Ana: yes\nBen: Ana?",
  );
});

test("a new speaker gets a name nobody has", () => {
  expect(freeName("Speaker", [{ name: "speaker 2", voice: "Kore" }])).toBe("Speaker 3");
});

test("a cast with equal, empty or colon-bearing names is told before it is sent", () => {
  expect(castFault(cast)).toBeNull();
  expect(castFault([...cast, { name: "ANA", voice: "Leda" }])).toBe("same-name");
  expect(castFault([{ name: " ", voice: "Leda" }])).toBe("empty-name");
  expect(castFault([{ name: "a:b", voice: "Leda" }])).toBe("colon");
});
