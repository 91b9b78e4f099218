import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "../../lib/errors";
import type { CallOptions, SpeechEvent, SpeechModel, SpeechRequest } from "../../lib/ports/speech-model";

/** One implementation of the SpeechModel port, and its capabilities. */
export interface SpeechFixture {
  speech: SpeechModel;
  /** The upstream's name of the model. */
  model: string;
  /** A known and an unknown voice; null when the provider passes on any name. */
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
export function speechModelContract(open: () => Promise<SpeechFixture>): void {
  let fixture: SpeechFixture;
  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(() => fixture.close());

  const request = (fields: Partial<SpeechRequest> = {}): SpeechRequest => ({
    model: fixture.model,
    segments: [{ text: fixture.sentence, voice: fixture.voice }],
    speed: 1,
    ...fields,
  });
  const saying = (text: string, voice = fixture.voice) => request({ segments: [{ text, voice }] });
  const call = (speechRequest: SpeechRequest, signal = new AbortController().signal) => {
    const options: CallOptions = { signal, requestId: "contract", firstByteBy: performance.now() + 60_000 };
    return fixture.speech.synthesize(speechRequest, options)[Symbol.asyncIterator]();
  };
  const collect = async (speechRequest: SpeechRequest) => {
    const events: SpeechEvent[] = [];
    const iterator = call(speechRequest);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) events.push(next.value);
    return events;
  };
  /** Reads a call to its end. */
  const drain = async (iterator: AsyncIterator<SpeechEvent>, first = iterator.next()) => {
    for (let next = await first; !next.done; ) next = await iterator.next();
  };
  const audioOf = (events: readonly SpeechEvent[]) =>
    Buffer.concat(events.flatMap((event) => (event.type === "audio" ? [event.pcm] : [])));
  const untilIdle = async () => {
    while (fixture.running() > 0) await new Promise(setImmediate);
  };

  describe("a call", () => {
    it("returns whole samples, then one end event with the usage", async () => {
      const events = await collect(request());
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
      const pcm = audioOf(await collect(request()));
      expect(pcm.length / SECOND).toBeGreaterThan(1);
      expect(pcm.length / SECOND).toBeLessThan(20);
      let loudest = 0;
      for (let at = 0; at < pcm.length; at += 2) loudest = Math.max(loudest, Math.abs(pcm.readInt16LE(at)));
      expect(loudest).toBeGreaterThan(1_000);
    });

    it("speaks segments in order", async () => {
      const one = audioOf(await collect(request())).length;
      const { segments } = request();
      const two = audioOf(await collect(request({ segments: [...segments, ...segments] }))).length;
      expect(two).toBeGreaterThan(one * 1.6);
    });

    it("does nothing before the first next()", async () => {
      await untilIdle();
      const before = fixture.begun();
      call(request());
      await new Promise(setImmediate);
      expect([fixture.begun() - before, fixture.running()]).toEqual([0, 0]);
    });

    it("returns nothing more after its end", async () => {
      const iterator = call(request());
      await drain(iterator);
      expect(await iterator.next()).toMatchObject({ done: true });
      await untilIdle();
    });

    it("is not affected by a concurrent call", async () => {
      const texts = [fixture.sentence, `${fixture.sentence} ${fixture.sentence}`];
      const alone: number[] = [];
      for (const text of texts) alone.push(audioOf(await collect(saying(text))).length);
      const together = await Promise.all(
        texts.map(async (text) => audioOf(await collect(saying(text))).length),
      );
      const tolerance = fixture.isSteady ? 0 : SECOND;
      together.forEach((length, i) => {
        expect(Math.abs(length - (alone[i] ?? 0))).toBeLessThanOrEqual(tolerance);
      });
    });

    it("is shorter at twice the speed, where the provider supports speed", async () => {
      if (!fixture.hasSpeed) return;
      const [natural, fast] = [await collect(request()), await collect(request({ speed: 2 }))];
      expect(audioOf(fast).length / audioOf(natural).length).toBeCloseTo(0.5, 1);
    });
  });

  describe("a cancelled call", () => {
    it("stops its work when the iterator is returned", async () => {
      const iterator = call(saying(fixture.longText));
      await iterator.next();
      expect(fixture.running()).toBeGreaterThan(0);
      await iterator.return?.(undefined);
      await untilIdle();
      expect(await iterator.next()).toMatchObject({ done: true });
    });

    it("stops its work and rejects with caller_left when the signal is aborted", async () => {
      const leaving = new AbortController();
      const iterator = call(saying(fixture.longText), leaving.signal);
      await iterator.next();
      leaving.abort();
      await expect(drain(iterator)).rejects.toMatchObject({ code: "caller_left" });
      await untilIdle();
    });

    it("rejects with the AppError that was the reason of the abort", async () => {
      const late = new AbortController();
      const iterator = call(saying(fixture.longText), late.signal);
      const first = iterator.next();
      late.abort(new AppError("upstream_timeout", "Too late."));
      await expect(drain(iterator, first)).rejects.toMatchObject({ code: "upstream_timeout" });
      await untilIdle();
    });

    it("starts no work when the signal is aborted before the first next()", async () => {
      await untilIdle();
      const before = fixture.begun();
      await expect(call(request(), AbortSignal.abort()).next()).rejects.toMatchObject({
        code: "caller_left",
      });
      expect(fixture.begun()).toBe(before);
    });
  });

  describe("voices", () => {
    it("lists each voice once, by a name that can be spoken", async () => {
      const voices = await fixture.speech.voices(fixture.model);
      const names = voices.map((voice) => voice.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toContain(fixture.voice);
      const last = names.at(-1) ?? fixture.voice;
      expect(audioOf(await collect(saying(fixture.sentence, last))).length).toBeGreaterThan(SECOND);
    });

    it("names an unknown voice in the error", async () => {
      if (fixture.unknownVoice === null) return;
      const speechRequest = saying(fixture.sentence, fixture.unknownVoice);
      await expect(call(speechRequest).next()).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining(fixture.unknownVoice),
      });
    });
  });
}
