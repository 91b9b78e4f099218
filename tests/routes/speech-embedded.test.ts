import { afterAll, expect, it } from "vitest";
import { createEmbeddedSpeech } from "../../lib/providers/embedded-speech/create";
import { workerFile } from "../../lib/server/process/workers";
import { SYSTEM_CLOCK, speechChannel } from "../support/factories";
import { decodePcm16, nearestVoice } from "../support/measure-audio";
import { chunksOf, openSpeechHarness, readBody } from "../support/speech-harness";
import { loudness } from "../support/tone";

const speech = createEmbeddedSpeech({
  workerFile: workerFile("speech"),
  clock: SYSTEM_CLOCK,
});
afterAll(() => speech.close());

const harness = () => openSpeechHarness([{ channel: speechChannel("embedded"), speech }]);
const PATH = "/v1beta/models/patchbay-speech:generateContent";
const saying = (text: string, speechConfig?: object) => ({
  contents: [{ role: "user", parts: [{ text }] }],
  generationConfig: { responseModalities: ["AUDIO"], ...(speechConfig ? { speechConfig } : {}) },
});

function samples(base64: string): Int16Array {
  const bytes = Buffer.from(base64, "base64");
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

it("speaks a sentence audibly", async () => {
  const { post, rows } = harness();
  const { bytes } = await readBody(await post(PATH, saying("The kettle is on the stove.")));
  const body = JSON.parse(bytes.toString());
  const pcm = samples(body.candidates[0].content.parts[0].inlineData.data);
  expect(pcm.length / 24_000).toBeGreaterThan(0.8);
  expect(loudness(pcm)).toBeGreaterThan(300);
  expect(rows[0]?.audioMs).toBe(Math.round(pcm.length / 24));
  expect(body.usageMetadata.candidatesTokenCount).toBe(Math.ceil((pcm.length / 24_000) * 25));
});

it("speaks a conversation of two speakers without the instruction before it", async () => {
  const one = (speaker: string, voiceName: string) => ({
    speaker,
    voiceConfig: { prebuiltVoiceConfig: { voiceName } },
  });
  const speakers = {
    multiSpeakerVoiceConfig: { speakerVoiceConfigs: [one("Joe", "Puck"), one("Jane", "Kore")] },
  };
  const spoken = async (text: string, config: object) => {
    const { bytes } = await readBody(await harness().post(PATH, saying(text, config)));
    const pcm = samples(JSON.parse(bytes.toString()).candidates[0].content.parts[0].inlineData.data);
    return decodePcm16(pcm);
  };
  const [joe, jane] = ["How are you today?", "Very well, thank you."];
  const both = await spoken(`Joe: ${joe}\nJane: ${jane}`, speakers);
  const alone = async (line: string) => ({
    Puck: await spoken(line, { voiceConfig: one("", "Puck").voiceConfig }),
    Kore: await spoken(line, { voiceConfig: one("", "Kore").voiceConfig }),
  });
  const [joes, janes] = [await alone(joe), await alone(jane)];
  expect(nearestVoice(both.subarray(0, joes.Puck.length), joes, 24_000)).toBe("Puck");
  expect(nearestVoice(both.subarray(-janes.Kore.length), janes, 24_000)).toBe("Kore");
  expect(both.length).toBeGreaterThanOrEqual(joes.Puck.length + janes.Kore.length);
  const instruction = "Read this in a very slow and sleepy voice:";
  const instructed = await spoken(`${instruction}\nJoe: ${joe}\nJane: ${jane}`, speakers);
  expect(instructed.length).toBe(both.length);
});

it.each(["…", "🙂", "?!", "— * —"])("answers 400 with a message when the text is only %s", async (text) => {
  const { post, rows } = harness();
  const reply = await post(PATH, saying(text));
  expect(reply.status).toBe(400);
  const { error } = JSON.parse((await readBody(reply)).bytes.toString());
  expect(error.message).toMatch(/spoken|speak|words/);
  expect(error.details[0].fieldViolations).toEqual([{ field: "contents", description: error.message }]);
  expect(rows).toMatchObject([{ status: 400, audioMs: 0, costNano: 0 }]);
});

it.each(["…", "東京タワーです"])("names OpenAI's field when the text %s cannot be spoken", async (input) => {
  const { post } = harness();
  const reply = await post("/v1/audio/speech", { model: "patchbay-speech", input, voice: "alloy" });
  expect(reply.status).toBe(400);
  expect(JSON.parse((await readBody(reply)).bytes.toString()).error).toMatchObject({
    message: expect.stringMatching(/at least one letter or digit|cannot read/),
    type: "invalid_request_error",
    param: "input",
  });
});

it("answers 400 to letters that the engine reads as silence, and keeps the circuit closed", async () => {
  const { post } = harness();
  for (let call = 0; call < 6; call++) {
    const reply = await post("/v1/audio/speech", {
      model: "patchbay-speech",
      input: "\u0870",
      voice: "alloy",
      response_format: "pcm",
    });
    expect(reply.status).toBe(400);
    expect(JSON.parse((await readBody(reply)).bytes.toString()).error).toMatchObject({ param: "input" });
  }
  const spoken = await post(PATH, saying("The kettle is on."));
  expect(spoken.status).toBe(200);
  await readBody(spoken);
});

it("sends the first audio of 32,000 characters long before the rest is synthesised", async () => {
  const { post, rows } = harness();
  const text = "No dog minds at all when the brown fox jumps over the dog. ".repeat(600).slice(0, 32_000);
  const body = chunksOf(await post(PATH, saying(text)));
  expect((await body.next()).value?.length).toBeGreaterThan(1_000);
  await body.return?.();
  expect(rows[0]).toMatchObject({ status: 499 });
  expect(rows[0]?.audioMs).toBeLessThan(5_000);
  while (speech.stats().open > 0) await new Promise((resolve) => setImmediate(resolve));
});
