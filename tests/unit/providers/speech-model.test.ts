import { describe } from "vitest";
import { type SpeechFixture, speechModelContract } from "../../contracts/speech-model";
import { channelTo, createRig, TEXT } from "../../support/upstream/rig";
import { startUpstream } from "../../support/upstream/server";

/** The loopback upstream speaks a hundred characters per second. */
const SENTENCE = TEXT.repeat(4);
/** More than the sockets buffer, so that the upstream notices a reader who stops. */
const LONG_TEXT = TEXT.repeat(400);

async function open(
  provider: string,
  options: Record<string, unknown>,
  own: Pick<SpeechFixture, "voice" | "unknownVoice" | "hasSpeed">,
): Promise<SpeechFixture> {
  const upstream = await startUpstream();
  const rig = createRig([upstream]);
  return {
    speech: rig.speech(channelTo(provider, upstream, { options })),
    model: "tts",
    sentence: SENTENCE,
    longText: LONG_TEXT,
    isSteady: true,
    ...own,
    running: () => upstream.inFlight(),
    begun: () => upstream.ledger.length,
    close: async () => {
      await rig.close();
      await upstream.close();
    },
  };
}

const OPENAI = { voice: "alloy", unknownVoice: null, hasSpeed: true };

describe("openai, raw samples", () => speechModelContract(() => open("openai", {}, OPENAI)));
describe("openai, WAV", () => speechModelContract(() => open("openai", { speech_format: "wav" }, OPENAI)));
describe("openai, events", () => speechModelContract(() => open("openai", { stream_format: "sse" }, OPENAI)));
describe("gemini, streamed", () =>
  speechModelContract(() => open("gemini", {}, { voice: "Kore", unknownVoice: "nobody", hasSpeed: false })));
describe("elevenlabs", () =>
  speechModelContract(() => open("elevenlabs", {}, { voice: "Sarah", unknownVoice: null, hasSpeed: false })));
