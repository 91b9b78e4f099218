import { expect, test } from "vitest";
import { callOf, assignVoices, freeVoice, type SpeechDraft, withCall } from "@/components/speech/speech-draft";

const draft: SpeechDraft = {
  text: "Ana: Hello.",
  model: "patchbay-speech",
  mode: "single",
  voice: "Kore",
  speakers: [{ name: "Ana", voice: "Leda" }],
  language: "de-DE",
  speed: 1,
};

test("a cast keeps the voices of those it knows and gives newcomers voices nobody has", () => {
  const cast = assignVoices(["ANA", "Ben", "Cem"], [{ name: "Ana", voice: "Kore" }]);
  expect(cast).toEqual([
    { name: "ANA", voice: "Kore" },
    { name: "Ben", voice: "Puck" },
    { name: "Cem", voice: "Zephyr" },
  ]);
  expect(freeVoice(cast)).toBe("Charon");
});

test("a call carries only what its form has words for", () => {
  expect(callOf({ ...draft, speed: 1.5 })).toMatchObject({ language: null, speed: 1.5 });
  expect(callOf(draft)).toMatchObject({ language: "de-DE", speed: 1 });
  const script = callOf({ ...draft, mode: "script", speed: 1.5 });
  expect(script).toMatchObject({ language: "de-DE", speed: 1, cast: { kind: "script" } });
});

test("a draft without a voice leaves the choice to the service", () => {
  expect(callOf({ ...draft, voice: "" }).voices).toEqual({ kind: "single", voice: null });
});

test("taking a call back into the draft loses neither the voice nor the cast of the other mode", () => {
  const script = withCall(draft, { voices: { kind: "script", speakers: [{ name: "B", voice: "Puck" }] } });
  expect(script).toMatchObject({ mode: "script", voice: "Kore", speakers: [{ name: "B" }] });
  expect(withCall(script, { voices: { kind: "single", voice: "Zephyr" } })).toMatchObject({
    mode: "single",
    voice: "Zephyr",
    speakers: [{ name: "B" }],
  });
});
