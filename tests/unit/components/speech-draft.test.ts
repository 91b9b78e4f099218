import { expect, test } from "vitest";
import {
  assignVoices,
  callOf,
  freeVoice,
  type SpeechDraft,
  withCall,
} from "@/components/speech/speech-draft";

const draft: SpeechDraft = {
  text: "Ana: Hello.",
  model: "patchbay-speech",
  mode: "single",
  voice: "Kore",
  speakers: [{ name: "Ana", voice: "Leda" }],
  language: "de-DE",
  speed: 1,
};

test("assignVoices keeps the voices of known speakers and gives new speakers voices that are not taken", () => {
  const speakers = assignVoices(["ANA", "Ben", "Cem"], [{ name: "Ana", voice: "Kore" }]);
  expect(speakers).toEqual([
    { name: "ANA", voice: "Kore" },
    { name: "Ben", voice: "Puck" },
    { name: "Cem", voice: "Zephyr" },
  ]);
  expect(freeVoice(speakers)).toBe("Charon");
});

test("a call leaves out the speed of a script and the language of a changed speed", () => {
  expect(callOf({ ...draft, speed: 1.5 })).toMatchObject({ language: null, speed: 1.5 });
  expect(callOf(draft)).toMatchObject({ language: "de-DE", speed: 1 });
  const script = callOf({ ...draft, mode: "script", speed: 1.5 });
  expect(script).toMatchObject({ language: "de-DE", speed: 1, voices: { kind: "script" } });
});

test("a draft without a voice leaves the choice to the API", () => {
  expect(callOf({ ...draft, voice: "" }).voices).toEqual({ kind: "single", voice: null });
});

test("applying a call to a draft keeps the voice and the speakers of the other mode", () => {
  const script = withCall(draft, { voices: { kind: "script", speakers: [{ name: "B", voice: "Puck" }] } });
  expect(script).toMatchObject({ mode: "script", voice: "Kore", speakers: [{ name: "B" }] });
  expect(withCall(script, { voices: { kind: "single", voice: "Zephyr" } })).toMatchObject({
    mode: "single",
    voice: "Zephyr",
    speakers: [{ name: "B" }],
  });
});
