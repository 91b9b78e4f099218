import { expect, test } from "vitest";
import { listVoices } from "@/lib/gateway/speech/choose-voices";
import { speechTraits } from "@/lib/gateway/speech/speech-traits";
import type { ChannelRecord } from "@/lib/ports/store";
import { channelRecord, speechModel } from "../../support/factories";
import { openSpeechHarness, ScriptedSpeech, spoken } from "../../support/speech-harness";
import { channelTo, createRig } from "../../support/upstream/rig";

const providers = createRig([]);
const to = (provider: string, baseUrl: string) => channelTo(provider, { origin: "" }, { baseUrl });

/** The traits of a model that these channels serve under upstream names. */
function traitsOf(...routes: [ChannelRecord, string][]) {
  const served = routes.map(([channel, upstreamName]) => ({ channel, upstreamName }));
  return speechTraits({ providers }, { model: speechModel(), routes: served, disabledChannels: [] });
}

const openai = to("openai", "https://api.openai.com/v1");
const compatible = to("openai", "https://speech.example/v1");
const gemini = to("gemini", "https://generativelanguage.googleapis.com/v1beta");
const elevenlabs = to("elevenlabs", "https://api.elevenlabs.io/v1");

test("a speech model takes instructions if one of its channels follows them", () => {
  expect(traitsOf([openai, "gpt-4o-mini-tts"]).takesInstructions).toBe(true);
  for (const name of ["tts-1", "tts-1-hd", "tts-1-1106"])
    expect(traitsOf([openai, name]).takesInstructions, name).toBe(false);
  expect(traitsOf([elevenlabs, "eleven_v3"]).takesInstructions).toBe(false);
  expect(traitsOf([elevenlabs, "eleven_v3"], [gemini, "gemini-tts"]).takesInstructions).toBe(true);
  expect(traitsOf().takesInstructions).toBe(false);
});

test("the voices of a catalogue are a model's own only on the API of the provider that has them", () => {
  expect(traitsOf([openai, "tts-1"], [gemini, "gemini-tts"]).ownFamilies).toEqual(["openai", "gemini"]);
  expect(traitsOf([compatible, "kokoro"], [elevenlabs, "eleven_v3"]).ownFamilies).toEqual([]);
});

test("a channel whose provider cannot be created has no traits", () => {
  expect(traitsOf([channelRecord({ provider: "unknown" }), "x"])).toEqual({
    takesInstructions: false,
    ownFamilies: [],
  });
});

test("a name that means different voices is listed once for each", async () => {
  class OneVoice extends ScriptedSpeech {
    constructor(private readonly language: string) {
      super(() => spoken(1));
    }
    override async voices() {
      const family = "engine" as const;
      return [
        { name: "Bella", languages: [this.language], gender: "female" as const, description: "", family },
      ];
    }
  }
  const engines = ["en", "it", "en"].map((language, at) => ({
    channel: channelRecord({ id: `chn_${at}` }),
    speech: new OneVoice(language),
  }));
  const voices = await listVoices(openSpeechHarness(engines).ctx);
  expect(voices.map((one) => [one.name, one.languages])).toEqual([
    ["Bella", ["en"]],
    ["Bella", ["it"]],
  ]);
});
