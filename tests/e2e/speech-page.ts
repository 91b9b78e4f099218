import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import type { Page } from "playwright/test";
import { expect } from "./fixtures";

export const PATH = "/playground/speech";

/** A take as stored in the browser's database, with the length and loudness of its samples. */
interface StoredTake {
  state: "complete" | "stopped" | "cut";
  createdAt: number;
  durationMs: number;
  firstAudioMs: number | null;
  totalMs: number;
  inputTokens: number | null;
  outputTokens: number | null;
  channel: string | null;
  requestId: string | null;
  seconds: number;
  /** Root mean square of the samples, 0–1. */
  loudness: number;
}

/** Opens the playground with fields of a link's fragment. */
export async function openSpeech(page: Page, url: string, fields: [string, string][] = []): Promise<void> {
  const fragment = new URLSearchParams(fields).toString();
  await page.goto(`${url}${PATH}${fragment ? `#${fragment}` : ""}`);
  // On a phone the list is collapsed.
  await expect(page.getByRole("radio", { name: /^Kore/, includeHidden: true })).toBeAttached();
}

/** Presses Speak and waits for one more take, which is stored after it is shown. */
export async function speak(page: Page): Promise<void> {
  const { length } = await storedTakes(page);
  // A click within half a second of the last start would be a part of a double click.
  if (length > 0) await page.waitForTimeout(500);
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  await expectStatus(page, /The take is ready/);
  await expect.poll(async () => (await storedTakes(page)).length).toBe(length + 1);
}

export async function expectStatus(page: Page, text: RegExp): Promise<void> {
  await expect(page.getByRole("status").filter({ hasText: text })).toBeAttached({ timeout: 45_000 });
}

/** Records every piece of audio that the page starts: when, how long and how loud. */
export async function recordPieces(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const pieces: { at: number; seconds: number; peak: number }[] = [];
    Object.assign(window, { pieces });
    const start = AudioBufferSourceNode.prototype.start;
    AudioBufferSourceNode.prototype.start = function (...when) {
      const data = this.buffer?.getChannelData(0) ?? new Float32Array();
      const peak = data.reduce((max, one) => Math.max(max, Math.abs(one)), 0);
      pieces.push({ at: Date.now(), seconds: data.length / (this.buffer?.sampleRate ?? 1), peak });
      start.apply(this, when);
    };
  });
}

export function startedPieces(page: Page): Promise<{ at: number; seconds: number; peak: number }[]> {
  // Set by recordPieces.
  return page.evaluate(() => (window as unknown as { pieces: never[] }).pieces);
}

/** The takes in this browser's database, newest first; empty where there is no database. */
export function storedTakes(page: Page): Promise<StoredTake[]> {
  return page.evaluate(async () => {
    const names = (await indexedDB.databases()).map((one) => one.name);
    if (!names.includes("patchbay-takes")) return [];
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await done(indexedDB.open("patchbay-takes"));
    const rows = await done(db.transaction("takes").objectStore("takes").getAll());
    db.close();
    return rows
      .sort((one, other) => other.createdAt - one.createdAt)
      .map(({ samples, ...facts }: StoredTake & { samples: Int16Array }) => {
        let sum = 0;
        for (const sample of samples) sum += (sample / 32_768) ** 2;
        const loudness = Math.sqrt(sum / Math.max(1, samples.length));
        return { ...facts, seconds: samples.length / 24_000, loudness };
      });
  });
}

/** The state of the page's audio element. */
export function audioElement(page: Page): Promise<{ seconds: number; position: number; isPaused: boolean }> {
  return page.evaluate(() => {
    const audio = document.querySelector("audio");
    return {
      seconds: audio?.duration ?? 0,
      position: audio?.currentTime ?? 0,
      isPaused: audio?.paused ?? true,
    };
  });
}

/** Codec and duration of a file, parsed with mediabunny. */
export async function fileFacts(bytes: Buffer): Promise<{ codec: string | null; seconds: number }> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error("the file has no audio track");
  let seconds = 0;
  for await (const packet of new EncodedPacketSink(track).packets()) seconds += packet.duration;
  return { codec: await track.getCodec(), seconds };
}

/** Loudness of a file as decoded by the browser; null where it has no decoder for the format. */
export function decodedLoudness(page: Page, bytes: Buffer): Promise<number | null> {
  return page.evaluate(async (base64: string) => {
    const file = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    try {
      const audio = await new OfflineAudioContext(1, 1, 24_000).decodeAudioData(file.buffer);
      const samples = audio.getChannelData(0);
      return Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);
    } catch {
      return null;
    }
  }, bytes.toString("base64"));
}
