import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import init from "@echogarden/espeak-ng-emscripten";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalVoicesProvider } from "../../lib/providers/local-voices/create";
import { localVoiceChannel, SYSTEM_CLOCK } from "../support/factories";
import { openLocalVoices } from "../support/local-voices";
import { decodePcm16, medianPitch, peak, rmsDb } from "../support/measure-audio";

/** A real Kokoro model: its sound is measured, since no test can listen. */

const RATE = 24_000;
const TEXT =
  "The old lighthouse keeper climbed the narrow stairs every evening to light the lantern before the first ships came " +
  "home. He had done so for thirty years, and he knew every step of the way.";

let dataDirectory: string;
let directory: string;
let voices: LocalVoicesProvider;
const install = (name: string) =>
  symlink(path.resolve(process.env.PATCHBAY_TEST_VOICES ?? ""), path.join(directory, name));
beforeAll(async () => {
  dataDirectory = await mkdtemp(path.join(tmpdir(), "patchbay-kokoro-"));
  directory = path.join(dataDirectory, "voices");
  await mkdir(directory);
  await install("kokoro");
  voices = openLocalVoices(directory);
});
afterAll(async () => {
  await voices.close();
  await rm(dataDirectory, { recursive: true });
});

function speak(model: string, text: string, voice: string, speed = 1) {
  return voices.speech(localVoiceChannel(model)).synthesize(
    { model, segments: [{ text, voice }], speed },
    {
      signal: new AbortController().signal,
      requestId: "voices",
      firstByteBy: SYSTEM_CLOCK.monotonic() + 240_000,
    },
  );
}

async function hear(
  text: string,
  voice: string,
  speed = 1,
): Promise<{ samples: Float32Array; firstAt: number }> {
  const startedAt = performance.now();
  let firstAt = 0;
  const pieces: Uint8Array[] = [];
  for await (const event of speak("kokoro", text, voice, speed)) {
    if (event.type !== "audio") continue;
    if (pieces.length === 0) firstAt = performance.now() - startedAt;
    pieces.push(event.pcm);
  }
  const bytes = Buffer.concat(pieces);
  const whole = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return { samples: decodePcm16(whole), firstAt };
}

/** Seconds from the first to the last sample above -40 dB, and the longest silence between them. */
function soundOf(samples: Float32Array): { from: number; to: number; longestGap: number } {
  let [from, to, longestGap] = [-1, -1, 0];
  for (let at = 0; at < samples.length; at++) {
    if (Math.abs(samples[at] ?? 0) < 0.01) continue;
    if (from < 0) from = at;
    else longestGap = Math.max(longestGap, at - to);
    to = at;
  }
  return { from: from / RATE, to: (samples.length - to) / RATE, longestGap: longestGap / RATE };
}

/** The number of phonemes that espeak-ng reads in a text. */
async function countPhonemes(text: string): Promise<number> {
  const { eSpeakNGWorker } = await init({ print: () => {}, printErr: () => {} });
  const reader = new eSpeakNGWorker();
  reader.set_voice("en-us");
  return reader
    .synthesize_ipa(text)
    .ipa.split(/[\s_]+/u)
    .filter(Boolean).length;
}

describe("Kokoro", () => {
  let kore: Float32Array;

  it("is described by its files", async () => {
    const { ready, broken } = await voices.scan();
    expect(broken).toEqual([]);
    expect(ready[0]).toMatchObject({ kind: "kokoro", languages: ["en"], sampleRate: RATE });
    expect(ready[0]?.speakers).toHaveLength(54);
  });

  it("speaks 14 characters a second, within 15 %", async () => {
    const heard = await hear(TEXT, "Kore");
    kore = heard.samples;
    const rate = TEXT.length / (kore.length / RATE);
    const { realTimeFactor } = voices.status("kokoro");
    console.log(
      `Kokoro: ${rate.toFixed(1)} characters a second, real-time factor ${realTimeFactor?.toFixed(2)}, first audio after ${Math.round(heard.firstAt)} ms`,
    );
    expect(rate).toBeGreaterThan(14 * 0.85);
    expect(rate).toBeLessThan(14 * 1.15);
  });

  it("speaks 8 to 15 of the phonemes that espeak-ng reads in the text a second", async () => {
    const { from, to, longestGap } = soundOf(kore);
    const seconds = kore.length / RATE - from - to - longestGap;
    // Narrated English has 8 to 15 phonemes a second: more would mean that words are missing, fewer that words were
    // added.
    const pace = (await countPhonemes(TEXT)) / seconds;
    console.log(`Kokoro: ${pace.toFixed(1)} phonemes a second`);
    expect(pace).toBeGreaterThan(8);
    expect(pace).toBeLessThan(15);
  });

  it("is neither quiet nor clipped", () => {
    expect(rmsDb(kore)).toBeGreaterThan(-30);
    expect(rmsDb(kore)).toBeLessThan(-12);
    expect(peak(kore)).toBeLessThan(0.999);
  });

  it("is silent only at its ends and in the pause between sentences", () => {
    const { from, to, longestGap } = soundOf(kore);
    expect(from).toBeLessThan(0.3);
    expect(to).toBeLessThan(0.3);
    expect(longestGap).toBeLessThan(0.8);
  });

  it("has speakers that differ measurably", async () => {
    const { samples: onyx } = await hear(TEXT, "am_onyx");
    const [high, low] = [medianPitch(kore, RATE), medianPitch(onyx, RATE)];
    expect(high / low).toBeGreaterThan(1.3);
  });

  it("is about half as long at twice the speed", async () => {
    const { samples } = await hear(TEXT, "Kore", 2);
    expect(samples.length / kore.length).toBeGreaterThan(0.4);
    expect(samples.length / kore.length).toBeLessThan(0.62);
  });

  it("fails a speech whose model is removed meanwhile, instead of leaving out the rest", async () => {
    await install("removed");
    await voices.scan();
    const speech = async () => {
      let isRemoved = false;
      for await (const event of speak("removed", TEXT.repeat(3), "Kore")) {
        if (event.type === "audio" && !isRemoved) await unlink(path.join(directory, "removed"));
        isRemoved = true;
      }
    };
    await expect(speech()).rejects.toMatchObject({ code: "upstream_error" });
  });

  it("is verified by the admin command, which then ends", async () => {
    const env = { ...process.env, PATCHBAY_DATA_DIR: dataDirectory };
    const admin = (...command: string[]) =>
      promisify(execFile)(process.execPath, [".next/patchbay/admin.mjs", ...command], { env });
    await admin("setup", "--username", "olivia", "--generate");
    const { stdout } = await admin("voices", "verify", "kokoro");
    expect(stdout).toContain("speaks");
  });
});
