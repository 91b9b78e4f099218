import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "../../lib/errors";
import type { CallOptions, SpeechEvent, SpeechModel, SpeechRequest } from "../../lib/ports/speech-model";

/** One implementation of the SpeechModel port, and its capabilities. */
export interface SpeechPlace {
  speech: SpeechModel;
  /** The upstream's name of the model. */
  model: string;
  /** A known and an unknown voice; null when any name is passed on. */
  voice: string;
  unknownVoice: string | null;
  /** A sentence of a few seconds, and a text of a minute or more. */
  sentence: string;
  longText: string;
  /** True when the same request always gives the same length. */
  isSteady: boolean;
  /** True when `speed` changes the tempo. */
  hasSpeed: boolean;
  /** Calls that still use work or a connection. */
  running(): number;
  /** Chunks or upstream calls started so far. */
  begun(): number;
  close(): Promise<void>;
}

const SECOND = 48_000;

/** The contract of SpeechModel, for engines and upstreams. */
export function speechModelContract(open: () => Promise<SpeechPlace>): void {
  let database: SpeechPlace;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const request = (fields: Partial<SpeechRequest> = {}): SpeechRequest => ({
    model: database.model,
    segments: [{ text: database.sentence, voice: database.voice }],
    speed: 1,
    ...fields,
  });
  const saying = (text: string, voice = database.voice) => request({ segments: [{ text, voice }] });
  const call = (asked: SpeechRequest, signal = new AbortController().signal) => {
    const options: CallOptions = { signal, requestId: "contract", firstByteBy: performance.now() + 60_000 };
    return database.speech.synthesize(asked, options)[Symbol.asyncIterator]();
  };
  const hear = async (asked: SpeechRequest) => {
    const events: SpeechEvent[] = [];
    const iterator = call(asked);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) events.push(next.value);
    return events;
  };
  const audioOf = (events: readonly SpeechEvent[]) =>
    Buffer.concat(events.flatMap((event) => (event.type === "audio" ? [event.pcm] : [])));
  const untilIdle = async () => {
    while (database.running() > 0) await new Promise(setImmediate);
  };

  describe("a call", () => {
    it("returns whole samples, then one end event with the usage", async () => {
      const events = await hear(request());
      expect(events.map((event) => event.type).indexOf("end")).toBe(events.length - 1);
      for (const event of events) {
        if (event.type !== "audio") continue;
        expect(event.pcm.length).toBeGreaterThan(0);
        expect(event.pcm.length % 2).toBe(0);
      }
      const end = events.at(-1);
      if (end?.type !== "end") throw new Error("no end");
      expect(end.finishReason).not.toBe("");
      for (const tokens of [end.usage.inputTokens, end.usage.outputTokens]) {
        expect(tokens === null || (Number.isInteger(tokens) && tokens >= 0)).toBe(true);
      }
    });

    it("returns seconds of audible sound for a sentence", async () => {
      const pcm = audioOf(await hear(request()));
      expect(pcm.length / SECOND).toBeGreaterThan(1);
      expect(pcm.length / SECOND).toBeLessThan(20);
      let loudest = 0;
      for (let at = 0; at < pcm.length; at += 2) loudest = Math.max(loudest, Math.abs(pcm.readInt16LE(at)));
      expect(loudest).toBeGreaterThan(1_000);
    });

    it("speaks segments in order", async () => {
      const one = audioOf(await hear(request())).length;
      const { segments } = request();
      const two = audioOf(await hear(request({ segments: [...segments, ...segments] }))).length;
      expect(two).toBeGreaterThan(one * 1.6);
    });

    it("does nothing before the first next()", async () => {
      await untilIdle();
      const before = database.begun();
      call(request());
      await new Promise(setImmediate);
      expect([database.begun() - before, database.running()]).toEqual([0, 0]);
    });

    it("returns nothing more after its end", async () => {
      const iterator = call(request());
      for (let next = await iterator.next(); !next.done; ) next = await iterator.next();
      expect(await iterator.next()).toMatchObject({ done: true });
      await untilIdle();
    });

    it("is not mixed up with a concurrent call", async () => {
      const texts = [database.sentence, `${database.sentence} ${database.sentence}`];
      const alone: number[] = [];
      for (const text of texts) alone.push(audioOf(await hear(saying(text))).length);
      const together = await Promise.all(texts.map(async (text) => audioOf(await hear(saying(text))).length));
      const tolerance = database.isSteady ? 0 : SECOND;
      together.forEach((length, i) => {
        expect(Math.abs(length - (alone[i] ?? 0))).toBeLessThanOrEqual(tolerance);
      });
    });

    it("is shorter at twice the speed, where the provider supports speed", async () => {
      if (!database.hasSpeed) return;
      const [natural, fast] = [await hear(request()), await hear(request({ speed: 2 }))];
      expect(audioOf(fast).length / audioOf(natural).length).toBeCloseTo(0.5, 1);
    });
  });

  describe("a reader who leaves", () => {
    it("stops the work in the middle", async () => {
      const iterator = call(saying(database.longText));
      await iterator.next();
      expect(database.running()).toBeGreaterThan(0);
      await iterator.return?.(undefined);
      await untilIdle();
      expect(await iterator.next()).toMatchObject({ done: true });
    });

    it("stops the work by the signal and gets its error", async () => {
      const leaving = new AbortController();
      const iterator = call(saying(database.longText), leaving.signal);
      await iterator.next();
      leaving.abort();
      await expect(
        (async () => {
          for (let next = await iterator.next(); !next.done; ) next = await iterator.next();
        })(),
      ).rejects.toMatchObject({ code: "caller_left" });
      await untilIdle();
    });

    it("gets the AppError that was the reason of the abort", async () => {
      const late = new AbortController();
      const iterator = call(saying(database.longText), late.signal);
      const first = iterator.next();
      late.abort(new AppError("upstream_timeout", "Too late."));
      await expect(
        (async () => {
          for (let next = await first; !next.done; ) next = await iterator.next();
        })(),
      ).rejects.toMatchObject({ code: "upstream_timeout" });
      await untilIdle();
    });

    it("costs nothing before the first next()", async () => {
      await untilIdle();
      const before = database.begun();
      await expect(call(request(), AbortSignal.abort()).next()).rejects.toMatchObject({
        code: "caller_left",
      });
      expect(database.begun()).toBe(before);
    });
  });

  describe("voices", () => {
    it("lists each voice once, by a name that can be spoken", async () => {
      const voices = await database.speech.voices(database.model);
      const names = voices.map((voice) => voice.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toContain(database.voice);
      const last = names.at(-1) ?? database.voice;
      expect(audioOf(await hear(saying(database.sentence, last))).length).toBeGreaterThan(SECOND);
    });

    it("names an unknown voice in the error", async () => {
      if (database.unknownVoice === null) return;
      const asked = saying(database.sentence, database.unknownVoice);
      await expect(call(asked).next()).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining(database.unknownVoice),
      });
    });
  });
}
