import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { localVoiceChannel } from "../support/factories";
import { openLocalVoices } from "../support/local-voices";
import { writeTinyVoice } from "../support/tiny-voice";
import { speechModelContract } from "./speech-model";

speechModelContract(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "patchbay-voices-"));
  await writeTinyVoice(path.join(directory, "tiny"));
  const voices = openLocalVoices(directory);
  const stats = () => voices.stats("tiny");
  return {
    speech: voices.speech(localVoiceChannel("tiny")),
    model: "tiny",
    voice: "low-m",
    unknownVoice: "Korre",
    sentence: "The morning train was late again, so we walked along the river.",
    longText: "It rained and rained until the river stood as high as the old stone bridge. ".repeat(100),
    isSteady: true,
    hasSpeed: true,
    running: () => (stats()?.open ?? 0) + (stats()?.busy ?? 0) + (stats()?.waiting ?? 0),
    begun: () => stats()?.chunks ?? 0,
    close: async () => {
      await voices.close();
      await rm(directory, { recursive: true });
    },
  };
});
