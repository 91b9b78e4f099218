import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AppError } from "../../../lib/errors";
import type { LocalVoicesProvider } from "../../../lib/providers/local-voices/create";
import { localVoiceChannel, speechChannel } from "../../support/factories";
import { openLocalVoices } from "../../support/local-voices";
import { openSpeechHarness, readBody, ScriptedSpeech, spoken } from "../../support/speech-harness";
import { writeTinyVoice } from "../../support/tiny-voice";

const PATH = "/v1/audio/speech";
const REQUEST = { model: "tiny", input: "The train was late.", voice: "alloy", response_format: "pcm" };

let directory: string;
let voices: LocalVoicesProvider;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "patchbay-voices-"));
  // The harness names each channel's model after the channel.
  await writeTinyVoice(path.join(directory, "upstream-local"));
});
afterEach(async () => {
  await voices.close();
  await rm(directory, { recursive: true });
});

function open(local: { callMs: number; priority: number }, cloud: ScriptedSpeech) {
  voices = openLocalVoices(directory, { callMs: () => local.callMs });
  const channel = localVoiceChannel("local", { id: "local", priority: local.priority });
  const engines = [
    { channel, speech: voices.speech(channel) },
    { channel: speechChannel("cloud", { priority: 1, embedded: false }), speech: cloud },
  ];
  return openSpeechHarness(engines, { model: { name: "tiny" } });
}

it("a call fails over from a local voice to the next channel when the machine is too slow", async () => {
  const cloud = new ScriptedSpeech(() => spoken(1));
  const { post } = open({ callMs: 1, priority: 0 }, cloud);
  const reply = await post(PATH, REQUEST);
  expect(reply.headers["x-patchbay-channel"]).toBe("cloud");
  expect((await readBody(reply)).bytes.length).toBe(48_000);
});

it("a local voice speaks when the channel before it fails", async () => {
  const cloud = new ScriptedSpeech(() => {
    throw new AppError("upstream_error", "Down.");
  });
  const { post } = open({ callMs: 600_000, priority: 2 }, cloud);
  const reply = await post(PATH, REQUEST);
  expect(reply.headers["x-patchbay-channel"]).toBe("local");
  expect((await readBody(reply)).bytes.length).toBeGreaterThan(24_000);
});

it("the gateway answers 503 with Retry-After when neither a local voice nor another channel is left", async () => {
  const cloud = new ScriptedSpeech(() => spoken(1));
  const { post } = open({ callMs: 1, priority: 0 }, cloud);
  cloud.synthesize = () => {
    throw new AppError("overloaded", "Full.", { retryAfterMs: 2_000 });
  };
  const reply = await post(PATH, REQUEST);
  expect(reply.status).toBe(503);
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
});

it("a local voice speaks a script of two speakers, each with its own voice", async () => {
  const { post } = open({ callMs: 600_000, priority: 0 }, new ScriptedSpeech(() => spoken(1)));
  const voiceOf = (speaker: string, voiceName: string) => ({
    speaker,
    voiceConfig: { prebuiltVoiceConfig: { voiceName } },
  });
  const reply = await post("/v1beta/models/tiny:generateContent", {
    contents: [{ parts: [{ text: "Ann: The train was late.\nBob: It always is." }] }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: {
        multiSpeakerVoiceConfig: {
          speakerVoiceConfigs: [voiceOf("Ann", "high-f"), voiceOf("Bob", "Charon")],
        },
      },
    },
  });
  expect(reply.headers["x-patchbay-channel"]).toBe("local");
  const { bytes } = await readBody(reply);
  const body = JSON.parse(Buffer.from(bytes).toString());
  const pcm = Buffer.from(body.candidates[0].content.parts[0].inlineData.data, "base64");
  const crossings = (from: number, to: number) => {
    let count = 0;
    for (let at = from; at < to; at += 2)
      if (pcm.readInt16LE(at) < 0 && pcm.readInt16LE(at + 2) >= 0) count++;
    return (count * 48_000) / (to - from);
  };
  // A tenth of a second of each: 300 Hz and 150 Hz.
  expect(crossings(24_000, 28_800)).toBeCloseTo(300, -2);
  expect(crossings(pcm.length - 9_600, pcm.length - 4_800)).toBeCloseTo(150, -1.5);
});
