import { expect, test } from "vitest";
import { MAX_CANDIDATES, toggleCandidate } from "@/components/speech/candidates";
import type { Take } from "@/components/speech/history";
import {
  assignVoices,
  callOf,
  callsOf,
  freeVoice,
  type SpeechDraft,
  voiceForModel,
  withCall,
} from "@/components/speech/speech-draft";
import { takeDollars } from "@/components/speech/take-facts";
import { type Trial, takesToRank } from "@/components/speech/use-comparison";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { dialectOf, openaiBody } from "@/lib/client/speech-call";

const draft: SpeechDraft = {
  text: "Ana: Hello.",
  model: "patchbay-speech",
  mode: "single",
  voice: "Kore",
  speakers: [{ name: "Ana", voice: "Leda" }],
  candidates: [],
  language: "de-DE",
  speed: 1,
  instructions: "",
};
const plain = { takesInstructions: false, defaultVoice: null };
const instructed = { takesInstructions: true, defaultVoice: null };
const models = [{ name: "other", defaultVoice: "Zephyr" }];

test("assignVoices keeps the voices of known speakers and gives new speakers voices that are not taken", () => {
  const speakers = assignVoices(["ANA", "Ben", "Cem"], [{ name: "Ana", voice: "Kore" }]);
  expect(speakers).toEqual([
    { name: "ANA", voice: "Kore" },
    { name: "Ben", voice: "Puck" },
    { name: "Cem", voice: "Zephyr" },
  ]);
  expect(freeVoice(speakers)).toBe("Charon");
});

test("a call has no speed for a script, and no language if the speed is changed", () => {
  expect(callOf({ ...draft, speed: 1.5 }, plain)).toMatchObject({ language: null, speed: 1.5 });
  expect(callOf(draft, plain)).toMatchObject({ language: "de-DE", speed: 1 });
  const script = callOf({ ...draft, mode: "script", speed: 1.5 }, plain);
  expect(script).toMatchObject({ language: "de-DE", speed: 1, voices: { kind: "script" } });
});

test.each([
  ["Leda", ["Zephyr", "Leda"], "Leda"],
  ["Leda", ["Zephyr"], "Zephyr"],
  ["Leda", null, "Leda"],
  ["Kore", null, "Zephyr"],
  ["Leda", [], "Zephyr"],
])("the voice %s after a change to a model with the voices %j is %s", (voice, offered, expected) => {
  expect(voiceForModel(voice, { defaultVoice: "Kore" }, { defaultVoice: "Zephyr" }, offered)).toBe(expected);
});

test("a draft without a voice has the model's default voice, else leaves the choice to the API", () => {
  expect(callOf({ ...draft, voice: "" }, plain).voices).toEqual({ kind: "single", voice: null });
  expect(callOf({ ...draft, voice: "" }, { ...plain, defaultVoice: "Leda" }).voices).toEqual({
    kind: "single",
    voice: "Leda",
  });
});

test("applying a call to a draft keeps the voice and the speakers of the other mode", () => {
  const script = withCall(
    draft,
    { voices: { kind: "script", speakers: [{ name: "B", voice: "Puck" }] } },
    [],
  );
  expect(script).toMatchObject({ mode: "script", voice: "Kore", speakers: [{ name: "B" }] });
  expect(withCall(script, { voices: { kind: "single", voice: "Zephyr" } }, [])).toMatchObject({
    mode: "single",
    voice: "Zephyr",
    speakers: [{ name: "B" }],
  });
});

test("a link with only a model keeps the other settings; a link with a call resets those that it leaves out", () => {
  const edited: SpeechDraft = {
    ...draft,
    text: "Mine",
    speed: 1.5,
    instructions: "Whisper.",
    mode: "script",
  };
  expect(withCall(edited, { model: "patchbay-speech" }, models)).toEqual(edited);
  expect(withCall(edited, { model: "other", voices: { kind: "single", voice: "onyx" } }, models)).toEqual({
    ...edited,
    model: "other",
    mode: "single",
    voice: "onyx",
    language: null,
    speed: 1,
    instructions: "",
  });
});

test("a link to another model without a voice selects the default voice of that model", () => {
  expect(withCall(draft, { model: "other" }, models)).toEqual({ ...draft, model: "other", voice: "Zephyr" });
  expect(withCall(draft, { model: "other", text: "Hi" }, models).voice).toBe("Zephyr");
  expect(withCall(draft, { model: "without-default" }, models).voice).toBe("");
  // A draft without a model has the first model preselected, so that a link to it keeps the voice.
  expect(withCall({ ...draft, model: "", voice: "Puck" }, { model: "other" }, models).voice).toBe("Puck");
  expect(withCall(draft, { text: "Hi" }, models).voice).toBe("Kore");
});

test("a call has instructions only for a model that takes them, and then no language", () => {
  const whispered = { ...draft, instructions: " Whisper. " };
  expect(callOf(whispered, instructed)).toMatchObject({ instructions: "Whisper.", language: null });
  expect(callOf(whispered, plain)).toEqual(callOf(draft, plain));
  expect(callOf({ ...whispered, mode: "script" }, instructed)).not.toHaveProperty("instructions");
  expect(dialectOf(callOf(whispered, instructed))).toBe("openai");
  expect(openaiBody(callOf(whispered, instructed), "pcm")).toMatchObject({ instructions: "Whisper." });
});

test("the calls of a comparison differ in model, voice and instructions only", () => {
  const candidates = [
    { model: "a", voice: "Kore" },
    { model: "b", voice: "alloy" },
  ];
  const several: SpeechDraft = { ...draft, mode: "several", candidates };
  const calls = callsOf(several, () => plain).map((one) => one.call);
  expect(calls.map((one) => [one.model, one.voices, one.language])).toEqual([
    ["a", { kind: "single", voice: "Kore" }, "de-DE"],
    ["b", { kind: "single", voice: "alloy" }, "de-DE"],
  ]);
  const mixed = callsOf({ ...several, instructions: "Whisper." }, (name) =>
    name === "a" ? instructed : plain,
  );
  expect(mixed.map(({ call }) => [call.instructions, call.language])).toEqual([
    ["Whisper.", null],
    [undefined, null],
  ]);
});

test("a voice is added to a comparison once, removed by a second choice and not added above the limit", () => {
  const kore = { model: "a", voice: "Kore" };
  expect(toggleCandidate([], kore)).toEqual([kore]);
  expect(toggleCandidate([kore], { model: "b", voice: "Kore" })).toHaveLength(2);
  expect(toggleCandidate([kore], { model: "a", voice: "kore" })).toEqual([]);
  const full = Array.from({ length: MAX_CANDIDATES }, (_, at) => ({ model: "a", voice: `v${at}` }));
  expect(toggleCandidate(full, kore)).toEqual(full);
});

test("the takes of a comparison are ranked once no voice is waiting or arriving", () => {
  const call = callOf(draft, plain);
  const trial = (voice: string) => ({ candidate: { model: call.model, voice }, call });
  const take = {
    ...{ id: "t", createdAt: 0, userId: "u", call, state: "complete" as const, samples: new Int16Array(1) },
    ...{ durationMs: 1, totalMs: 2, firstAudioMs: 1, inputTokens: 1, outputTokens: 1 },
    ...{ channel: null, requestId: null },
  };
  const done: Trial = { ...trial("Kore"), kind: "done", take };
  const cut: Trial = { ...trial("Puck"), kind: "done", take: { ...take, state: "cut" } };
  expect(takesToRank([done, { ...trial("Leda"), kind: "waiting" }])).toEqual([]);
  expect(takesToRank([done, { ...trial("Leda"), kind: "arriving", firstAudioMs: 3 }])).toEqual([]);
  expect(takesToRank([done, cut, { ...trial("Leda"), kind: "stopped" }])).toEqual([take, null, null]);
});

test("the cost of a take is that of its counted tokens, and null if they are unknown", () => {
  const prices = { inputTokens: 600, outputTokens: 12_000, inputCharacters: null, outputSeconds: null };
  // Type assertions: takeDollars reads only these fields.
  const models = [{ name: "priced", prices }] as GatewayModel[];
  const counted = { durationMs: 60_000, inputTokens: 1_000, outputTokens: 1_200 };
  const take = { call: { model: "priced", text: "Hello" }, ...counted } as Take;
  expect(takeDollars(take, models)).toBeCloseTo(0.6 + 14.4);
  for (const unknown of [{ inputTokens: null }, { outputTokens: null }])
    expect(takeDollars({ ...take, ...unknown }, models)).toBeNull();
});

test("a take from the gateway's cache costs nothing", () => {
  // Type assertions: takeDollars reads only these fields.
  const take = { call: { model: "priced", text: "Hello" }, durationMs: 60_000, inputTokens: 10 } as Take;
  const models = [{ name: "priced", prices: { outputSeconds: 8_000 } }] as GatewayModel[];
  expect(takeDollars(take, models)).toBeCloseTo(0.48);
  expect(takeDollars({ ...take, isCached: true }, models)).toBe(0);
});

test("a reused take of an unknown model without a voice leaves the choice to the API", () => {
  const take = { model: "m", text: "Hello", voices: { kind: "single" as const, voice: null } };
  expect(withCall(draft, take, models).voice).toBe("");
});
