import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { FakeClock } from "../../support/factories";
import { callOptions, channelTo, createRig, speechRequest } from "../../support/upstream/rig";

/** `total_ms` of a channel, on a clock that the test controls; only the pauses on the wire are real. */

const clock = new FakeClock();
const TOTAL_MS = 5_000;
const LATER_MS = 150;
const SAMPLES = Buffer.alloc(200_000, 1);
let server: Server | null = null;

async function open(answer: RequestListener, totalMs = TOTAL_MS, idleMs = 30_000) {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const rig = createRig([], { allow: [`127.0.0.1:${port}`], clock, limits: { idleMs } });
  const fields = { timeouts: { totalMs }, options: { list_voices: false } };
  const channel = channelTo("openai", { origin: `http://127.0.0.1:${port}` }, fields);
  const options = callOptions({ firstByteBy: clock.at + 60_000, progress: new UpstreamProgress() });
  return { rig, channel, options };
}
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const embedding = JSON.stringify({ data: [{ embedding: [0.6, 0.8] }], usage: { prompt_tokens: 1 } });

test("total_ms counts the wait for the first byte", async () => {
  const { rig, channel, options } = await open((_request, reply) => {
    clock.at += TOTAL_MS + 1;
    reply.writeHead(200, { "content-type": "application/json", "content-length": embedding.length });
    reply.flushHeaders();
    setTimeout(() => reply.end(embedding), LATER_MS);
  });
  const work = rig.embedding(channel).embed({ model: "m", texts: ["a"] }, options);
  await expect(work).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(options.progress?.hasHead).toBe(true);
  await rig.close();
});

test("total_ms ends the wait for the head of a reply", async () => {
  const answer: RequestListener = (_request, reply) => {
    setTimeout(() => reply.writeHead(200, { "content-type": "application/json" }).end(embedding), 1_000);
  };
  const { rig, channel, options } = await open(answer, 50);
  const work = rig.embedding(channel).embed({ model: "m", texts: ["a"] }, options);
  await expect(work).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(options.progress?.hasHead).toBe(false);
  await rig.close();
});

test("total_ms counts the segments of a conversation together", async () => {
  const { rig, channel, options } = await open((_request, reply) => {
    clock.at += TOTAL_MS * 0.6;
    reply.writeHead(200, { "content-type": "audio/pcm", "content-length": SAMPLES.length });
    reply.flushHeaders();
    setTimeout(() => reply.end(SAMPLES), LATER_MS);
  });
  const segments = ["Hello.", "Goodbye."].map((text) => ({ text, voice: "alloy" }));
  const types: string[] = [];
  const work = (async () => {
    for await (const { type } of rig.speech(channel).synthesize(speechRequest("tts", { segments }), options))
      types.push(type);
  })();
  await expect(work).rejects.toMatchObject({ code: "upstream_timeout" });
  // The first segment was complete.
  expect(types.length).toBeGreaterThan(0);
  expect(types).not.toContain("end");
  await rig.close();
});

test("total_ms does not count the reader's time", async () => {
  const { rig, channel, options } = await open((_request, reply) => {
    clock.at += TOTAL_MS * 0.6;
    reply.writeHead(200, { "content-type": "audio/pcm", "content-length": SAMPLES.length });
    reply.end(SAMPLES);
  });
  let bytes = 0;
  for await (const event of rig.speech(channel).synthesize(speechRequest("tts"), options)) {
    clock.at += TOTAL_MS;
    if (event.type === "audio") bytes += event.pcm.byteLength;
  }
  expect(bytes).toBe(SAMPLES.length);
  await rig.close();
});

test("the idle time does not run while the reader is busy and the upstream has more to send", async () => {
  let sendRest = (): void => undefined;
  const half = SAMPLES.length / 2;
  const { rig, channel, options } = await open(
    (_request, reply) => {
      reply.writeHead(200, { "content-type": "audio/pcm", "content-length": SAMPLES.length });
      reply.write(SAMPLES.subarray(0, half));
      sendRest = () => reply.end(SAMPLES.subarray(half));
    },
    TOTAL_MS,
    2 * LATER_MS,
  );
  let [pieces, bytes] = [0, 0];
  for await (const event of rig.speech(channel).synthesize(speechRequest("tts"), options)) {
    if (event.type === "audio") bytes += event.pcm.byteLength;
    pieces += 1;
    // The wait for the first piece is limited by the first-byte time, which is longer than the idle time.
    if (pieces !== 2) continue;
    await new Promise((resolve) => setTimeout(resolve, 3 * LATER_MS));
    sendRest();
  }
  expect(bytes).toBe(SAMPLES.length);
  await rig.close();
});

test("total_ms does not count the time between two whole replies", async () => {
  const { rig, channel, options } = await open((_request, reply) => {
    reply.writeHead(200, { "content-type": "application/json" }).end(embedding);
  });
  const embed = () => rig.embedding(channel).embed({ model: "m", texts: ["a"] }, options);
  await embed();
  clock.at += TOTAL_MS;
  await expect(embed()).resolves.toMatchObject({ inputTokens: 1 });
  await rig.close();
});
