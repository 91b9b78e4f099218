import { expect, test } from "vitest";
import { filterVoices, groupVoices, NO_FILTER } from "@/components/speech/voice-filter";
import { type GatewayVoice, readVoices, voicesOfModel } from "@/lib/client/gateway-models";
import { MAX_SPEAKERS, OPENAI_INPUT_LIMIT, OPENAI_VOICE_NAMES } from "@/lib/client/speech-call";
import { MAX_SPEAKERS as MOST_SPEAKERS } from "@/lib/contracts/gateway/gemini/speech";
import { MAX_CHARACTERS } from "@/lib/contracts/gateway/openai/speech";
import { OPENAI_VOICES } from "@/lib/providers/upstream-voices/equivalents";

function voice(name: string, fields: Partial<GatewayVoice> = {}): GatewayVoice {
  return {
    name,
    gender: "female",
    description: "",
    family: "engine",
    languages: [],
    models: ["m"],
    ...fields,
  };
}
const emma = voice("bf_emma", { languages: ["en-GB"], description: "calm" });
const adam = voice("am_adam", { languages: ["en-US"], gender: "male" });
const kore = voice("Kore", { family: "gemini" });
const alloy = voice("alloy", { family: "openai", gender: "neutral" });
const all = [kore, alloy, emma, adam];
const namesOf = (voices: readonly GatewayVoice[]) => voices.map((one) => one.name);

test("filters voices by text, gender, language and catalogue, and keeps a voice without languages in every language", () => {
  const names = (filter: object) =>
    namesOf(filterVoices(all, { ...NO_FILTER, ...filter }, (one) => `${one.name} ${one.description}`));
  expect(names({})).toEqual(namesOf(all));
  expect(names({ search: " CALM " })).toEqual(["bf_emma"]);
  expect(names({ gender: "male" })).toEqual(["am_adam"]);
  expect(names({ language: "en-GB" })).toEqual(["Kore", "alloy", "bf_emma"]);
  expect(names({ family: "openai" })).toEqual(["alloy"]);
});

test("groups favourites first, then a model's own voices, then aliases; each voice once", () => {
  const groups = (own: GatewayVoice["family"][], favourites: string[] = []) =>
    groupVoices(all, own, (name) => favourites.includes(name)).map((one) => [
      one.kind,
      one.areAliases,
      namesOf(one.voices),
    ]);
  expect(groups([])).toEqual([
    ["engine", false, ["bf_emma", "am_adam"]],
    ["gemini", true, ["Kore"]],
    ["openai", true, ["alloy"]],
  ]);
  expect(groups(["openai"], ["am_adam"])).toEqual([
    ["favourites", false, ["am_adam"]],
    ["engine", false, ["bf_emma"]],
    ["openai", false, ["alloy"]],
    ["gemini", true, ["Kore"]],
  ]);
});

test("distinguishes voices of the same name that differ between models", () => {
  const entry = (models: string[], languages: string[]) => ({
    name: "Bella",
    family: "engine",
    languages,
    models,
  });
  const voices = readVoices({ voices: [entry(["a"], ["en"]), entry(["b"], ["it"]), { name: "Open" }] });
  expect(voicesOfModel(voices, "a").map((one) => [one.name, one.languages])).toEqual([
    ["Bella", ["en"]],
    ["Open", []],
  ]);
  expect(voicesOfModel(voices, "b")[0]?.languages).toEqual(["it"]);
  expect(namesOf(voicesOfModel([voice("Kore"), voice("kore")], "m"))).toEqual(["Kore"]);
});

test("offers the same OpenAI voice names as the provider", () => {
  expect([...OPENAI_VOICE_NAMES]).toEqual(OPENAI_VOICES.map((one) => one.name).sort());
});

test("has the server's limits of speakers and of characters", () => {
  expect(OPENAI_INPUT_LIMIT).toBe(MAX_CHARACTERS);
  expect(MAX_SPEAKERS).toBe(MOST_SPEAKERS);
});
