import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../lib/errors";
import type { SpeechEvent, SpeechRequest } from "../../../lib/ports/speech-model";
import type { LocalVoicesProvider, LocalVoicesSettings } from "../../../lib/providers/local-voices/create";
import { workerFile } from "../../../lib/server/process/workers";
import { localVoiceChannel, SYSTEM_CLOCK } from "../../support/factories";
import { openLocalVoices } from "../../support/local-voices";
import { TINY_METADATA, tinyModel, writeTinyVoice } from "../../support/tiny-voice";

let directory: string;
const opened: LocalVoicesProvider[] = [];
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "patchbay-voices-"));
  await writeTinyVoice(path.join(directory, "tiny"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((voices) => voices.close()));
  await rm(directory, { recursive: true });
});

function open(settings: Partial<LocalVoicesSettings> = {}): LocalVoicesProvider {
  const voices = openLocalVoices(directory, settings);
  opened.push(voices);
  return voices;
}

const SENTENCE = "The morning train was late again.";

interface Call {
  model?: string;
  firstByteIn?: number;
  options?: Record<string, unknown>;
  request?: Partial<SpeechRequest>;
  signal?: AbortSignal;
}

function speak(voices: LocalVoicesProvider, text: string, call: Call = {}): AsyncIterator<SpeechEvent> {
  const { model = "tiny", firstByteIn = 60_000, options = {}, request = {} } = call;
  const speechRequest = { model, segments: [{ text, voice: "low-m" }], speed: 1, ...request };
  const limits = {
    signal: call.signal ?? new AbortController().signal,
    requestId: "req",
    firstByteBy: SYSTEM_CLOCK.monotonic() + firstByteIn,
  };
  return voices
    .speech(localVoiceChannel(model, { options }))
    .synthesize(speechRequest, limits)
    [Symbol.asyncIterator]();
}

async function readAll(iterator: AsyncIterator<SpeechEvent>): Promise<Int16Array> {
  const pieces: Uint8Array[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next())
    if (next.value.type === "audio") pieces.push(next.value.pcm);
  const bytes = Buffer.concat(pieces);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The frequency of a tone at 24 kHz, by its zero crossings. */
function pitchOf(samples: Int16Array): number {
  let crossings = 0;
  for (let i = 1; i < samples.length; i++)
    if ((samples[i - 1] ?? 0) < 0 && (samples[i] ?? 0) >= 0) crossings++;
  return (crossings / samples.length) * 24_000;
}

describe("a local voice", () => {
  it("speaks at 24 kHz with the speaker that the voice names", async () => {
    const voices = open();
    expect(pitchOf(await readAll(speak(voices, SENTENCE)))).toBeCloseTo(150, -1);
    const mapped = { segments: [{ text: SENTENCE, voice: "narrator" }] };
    const options = { voices: { narrator: "high-f" } };
    expect(pitchOf(await readAll(speak(voices, SENTENCE, { request: mapped, options })))).toBeCloseTo(
      300,
      -1,
    );
  });

  it("speaks a script with the voice of each line", async () => {
    const segments = [
      { text: SENTENCE, voice: "low-m", speaker: "A" },
      { text: SENTENCE, voice: "high-f", speaker: "B" },
    ];
    const samples = await readAll(speak(open(), "", { request: { segments } }));
    const half = samples.length >> 1;
    expect(pitchOf(samples.subarray(0, half - 6_000))).toBeCloseTo(150, -1);
    expect(pitchOf(samples.subarray(half + 6_000))).toBeCloseTo(300, -1);
  });

  it("returns the first clause before it has spoken the rest", async () => {
    const voices = open();
    const text = `Well, ${"it rained and rained until the river stood as high as the bridge, ".repeat(20)}`;
    const call = speak(voices, text);
    await call.next();
    expect(voices.stats("tiny")?.chunks).toBeLessThanOrEqual(2);
    await call.return?.(undefined);
  });

  it("speaks at the length_scale of the model's own description", async () => {
    const asIs = await readAll(speak(open(), SENTENCE));
    const description = Buffer.from(JSON.stringify({ inference: { length_scale: 1.5 } }));
    await writeTinyVoice(path.join(directory, "slow"), { "model.onnx.json": description });
    const slowed = await readAll(speak(open(), SENTENCE, { model: "slow" }));
    expect(slowed.length / asIs.length).toBeCloseTo(1.5, 1);
  });

  it("ends its work at the next chunk when the caller stops", async () => {
    const voices = open();
    const stopping = new AbortController();
    const call = speak(voices, SENTENCE.repeat(60), { signal: stopping.signal });
    await call.next();
    const spoken = voices.stats("tiny")?.chunks ?? 0;
    stopping.abort(new AppError("caller_left", "The client disconnected."));
    await expect(readAll(call)).rejects.toMatchObject({ code: "caller_left" });
    expect(voices.stats("tiny")).toMatchObject({ open: 0, waiting: 0 });
    while ((voices.stats("tiny")?.busy ?? 0) > 0) await new Promise(setImmediate);
    // The chunk that was being spoken, and the chunk of this sentence.
    await readAll(speak(voices, SENTENCE));
    expect(voices.stats("tiny")?.chunks).toBeLessThanOrEqual(spoken + 2);
  });

  it("refuses a language that the model does not speak", async () => {
    await expect(speak(open(), SENTENCE, { request: { language: "de-DE" } }).next()).rejects.toMatchObject({
      code: "invalid",
      details: { param: "languageCode" },
    });
    expect(
      (await readAll(speak(open(), SENTENCE, { request: { language: "en-GB" } }))).length,
    ).toBeGreaterThan(0);
  });

  it("measures its real-time factor, and is unloaded when idle", async () => {
    const voices = open({ idleMs: 1 });
    expect(voices.status("tiny")).toEqual({ isLoaded: false, realTimeFactor: null, failure: null });
    await readAll(speak(voices, SENTENCE));
    expect(voices.status("tiny").realTimeFactor).toBeGreaterThan(0);
    while (voices.status("tiny").isLoaded) await new Promise(setImmediate);
    expect((await readAll(speak(voices, SENTENCE))).length).toBeGreaterThan(0);
  });
});

/** The PIDs of the voice processes that this process has started. */
async function voiceProcesses(): Promise<number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  const named = children
    .split(" ")
    .filter(Boolean)
    .map(async (pid) => ({
      pid: Number(pid),
      command: await readFile(`/proc/${pid}/cmdline`, "utf8"),
    }));
  return (await Promise.all(named)).filter(({ command }) => /voice/.test(command)).map(({ pid }) => pid);
}

describe("a signal to the server's process group", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"])("does not cut running speech: %s", async (signal) => {
    const call = speak(open(), SENTENCE.repeat(20));
    await call.next();
    const pids = await voiceProcesses();
    expect(pids).toHaveLength(1);
    for (const pid of pids) process.kill(pid, signal);
    expect((await readAll(call)).length).toBeGreaterThan(0);
  });
});

describe("a machine that is too slow", () => {
  it("refuses a call whose first audio would be too late", async () => {
    await expect(speak(open(), SENTENCE, { firstByteIn: 1_000 }).next()).rejects.toMatchObject({
      code: "overloaded",
      details: { retryAfterMs: expect.any(Number) },
    });
  });

  it("refuses a text that takes longer than a call may, without a hint to retry", async () => {
    const voices = open({ callMs: () => 60_000 });
    await expect(speak(voices, SENTENCE.repeat(100)).next()).rejects.toMatchObject({
      code: "overloaded",
      details: { shouldRetry: false },
    });
  });

  it("decides by the real-time factor that was measured before the start", async () => {
    const measured = path.join(directory, ".speed-tiny");
    // 33 characters are 2.4 s of speech, which take 47 s.
    await writeFile(measured, "20");
    await expect(speak(open({ callMs: () => 30_000 }), SENTENCE).next()).rejects.toMatchObject({
      code: "overloaded",
      details: { retryAfterMs: expect.closeTo(17_000, -3) },
    });
    await writeFile(measured, "0.01");
    expect(
      (await readAll(speak(open({ callMs: () => 30_000 }), SENTENCE.repeat(10)))).length,
    ).toBeGreaterThan(0);
    expect(Number(await readFile(measured, "utf8"))).not.toBe(0.01);
  });

  it("refuses a text for which the open calls leave no time, and accepts it afterwards", async () => {
    const voices = open({ callMs: () => 4_000 });
    const first = speak(voices, SENTENCE);
    await first.next();
    const second = speak(voices, SENTENCE.repeat(2));
    await first.return?.(undefined);
    expect((await readAll(second)).length).toBeGreaterThan(0);
    // Without a measurement, real time is assumed.
    await rm(path.join(directory, ".speed-tiny"), { force: true });
    const slow = open({ callMs: () => 3_000 });
    // Both at once: the first leaves no time for the other.
    const calls = [speak(slow, SENTENCE), speak(slow, SENTENCE)];
    const begun = await Promise.allSettled(calls.map((call) => call.next()));
    expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(begun.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "overloaded", details: { retryAfterMs: expect.any(Number) } },
    });
    for (const call of calls) await call.return?.(undefined);
  });
});

describe("an engine that ends its process", () => {
  it("fails only its own call, and its reason is stored", async () => {
    const metadata = { ...TINY_METADATA, frontend: "words" };
    await writeTinyVoice(path.join(directory, "fatal"), { "model.onnx": tinyModel(metadata) });
    const voices = open();
    await expect(speak(voices, SENTENCE, { model: "fatal" }).next()).rejects.toMatchObject({
      code: "upstream_error",
      message: "The local voice fatal failed.",
    });
    expect(voices.status("fatal").failure).toMatch(/lexicon/);
    expect((await readAll(speak(voices, SENTENCE))).length).toBeGreaterThan(0);
  });

  it("is reported when sherpa-onnx has no build for this platform", async () => {
    // Outside the project there is no package at all.
    const workers = path.join(directory, ".workers");
    await cp(new URL(".", workerFile("voice")), workers, { recursive: true });
    const voices = open({ workerFile: pathToFileURL(path.join(workers, "voice.mjs")) });
    await expect(speak(voices, SENTENCE).next()).rejects.toMatchObject({
      code: "upstream_error",
      message: `sherpa-onnx cannot be loaded on ${process.platform}-${process.arch}.`,
      cause: { message: expect.stringContaining("sherpa-onnx-node") },
    });
    // The same server process finds the package once it is installed.
    await symlink(path.resolve("node_modules"), path.join(directory, ".workers", "node_modules"));
    expect((await readAll(speak(voices, SENTENCE))).length).toBeGreaterThan(0);
  });

  it("is not started for a folder that is broken or missing", async () => {
    await writeTinyVoice(path.join(directory, "broken"), { "tokens.txt": null });
    const voices = open();
    await expect(speak(voices, SENTENCE, { model: "broken" }).next()).rejects.toMatchObject({
      code: "upstream_error",
    });
    await expect(speak(voices, SENTENCE, { model: "../tiny" }).next()).rejects.toMatchObject({
      code: "upstream_error",
      details: { isUnknownModel: true },
    });
  });
});
