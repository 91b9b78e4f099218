import { createEmbeddedSpeech } from "../../lib/providers/embedded-speech/create";
import { workerFile } from "../../lib/server/process/workers";
import { SYSTEM_CLOCK } from "../support/factories";
import { speechModelContract } from "./speech-model";

speechModelContract(async () => {
  const speech = createEmbeddedSpeech({
    workerFile: workerFile("speech"),
    clock: SYSTEM_CLOCK,
  });
  return {
    speech,
    model: "patchbay-speech",
    voice: "Kore",
    unknownVoice: "Korre",
    sentence: "The morning train was late again, so we walked along the river.",
    longText: "It rained and rained until the river stood as high as the old stone bridge. ".repeat(100),
    isSteady: true,
    hasSpeed: true,
    running: () => speech.stats().open + speech.stats().busy + speech.stats().waiting,
    begun: () => speech.stats().chunks,
    close: () => speech.close(),
  };
});
