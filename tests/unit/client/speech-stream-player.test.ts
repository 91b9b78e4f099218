import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SpeechStreamPlayer } from "@/lib/client/speech-stream-player";

interface Started {
  at: number;
  samples: number;
  first: number;
  isStopped: boolean;
  end(): void;
}

/** An audio clock moved by hand that remembers which pieces were started when. */
function fakeContext() {
  const started: Started[] = [];
  const gainCalls: [number, number][] = [];
  const context = {
    currentTime: 10,
    destination: {},
    createGain: () => ({
      gain: {
        value: 1,
        cancelScheduledValues: () => undefined,
        setValueAtTime: (value: number, at: number) => gainCalls.push([value, at]),
      },
      connect: () => undefined,
      disconnect: () => undefined,
    }),
    createBuffer: (_channels: number, length: number) => {
      const data = new Float32Array(length);
      return { length, getChannelData: () => data };
    },
    createBufferSource: () => {
      const node = {
        buffer: null as { length: number; getChannelData(): Float32Array } | null,
        onended: null as (() => void) | null,
        connect: () => undefined,
        disconnect: () => undefined,
        start(at: number) {
          const data = node.buffer?.getChannelData() ?? new Float32Array();
          started.push({
            at,
            samples: data.length,
            first: data[0] ?? 0,
            isStopped: false,
            end: () => node.onended?.(),
          });
          place = started.length - 1;
        },
        stop() {
          const mine = started[place];
          if (mine) mine.isStopped = true;
        },
      };
      let place = -1;
      return node;
    },
  };
  // Only what StreamVoice touches of the browser's interface is there.
  return { context: context as unknown as AudioContext, clock: context, started, gainCalls };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const second = () => new Int16Array(24_000).fill(16_384);

test("each piece starts exactly where the one before ends", () => {
  const { context, started } = fakeContext();
  const voice = new SpeechStreamPlayer(context, () => undefined);
  voice.push(second());
  voice.push(new Int16Array(7001).fill(1));
  for (const [at, piece] of started.entries()) {
    const before = started[at - 1];
    if (before) expect(piece.at).toBeCloseTo(before.at + before.samples / 24_000, 9);
  }
  expect(started.reduce((sum, piece) => sum + piece.samples, 0)).toBe(31_001);
  expect(started[0]?.first).toBe(0.5);
  voice.stop();
});

test("waits for a moment's sound before it starts, unless no more will come", () => {
  const { context, started } = fakeContext();
  const voice = new SpeechStreamPlayer(context, () => undefined);
  voice.push(new Int16Array(100));
  expect(started).toHaveLength(0);
  voice.close();
  expect(started).toHaveLength(1);
  voice.stop();
});

test("does not hand over more than a few seconds in advance", () => {
  const { context, clock, started } = fakeContext();
  const voice = new SpeechStreamPlayer(context, () => undefined);
  for (let at = 0; at < 60; at += 1) voice.push(second());
  const inAdvance = started.reduce((sum, piece) => sum + piece.samples, 0) / 24_000;
  expect(inAdvance).toBeLessThan(4);
  clock.currentTime += 2;
  vi.advanceTimersByTime(250);
  expect(started.reduce((sum, piece) => sum + piece.samples, 0) / 24_000).toBeGreaterThan(inAdvance + 1);
  voice.stop();
});

test("tells the position in the take, also after it fell behind", () => {
  const { context, clock, started } = fakeContext();
  const voice = new SpeechStreamPlayer(context, () => undefined);
  voice.push(second());
  clock.currentTime += 0.03 + 0.4;
  expect(voice.position()).toBeCloseTo(0.4, 6);
  clock.currentTime += 5;
  expect(voice.position()).toBeCloseTo(1, 6);
  voice.push(second());
  const resumed = started.at(-1);
  expect(resumed?.at).toBeGreaterThan(clock.currentTime);
  clock.currentTime += 0.03 + 0.25;
  expect(voice.position()).toBeCloseTo(1.25, 6);
  voice.stop();
});

test("seeking starts again at that sample and silences what was planned", () => {
  const { context, clock, started } = fakeContext();
  const voice = new SpeechStreamPlayer(context, () => undefined);
  voice.push(second());
  voice.push(new Int16Array(24_000).fill(8192));
  const before = started.length;
  voice.seek(1.5);
  expect(started.slice(0, before).every((piece) => piece.isStopped)).toBe(true);
  expect(started[before]).toMatchObject({ samples: 12_000, first: 0.25 });
  clock.currentTime += 0.03 + 0.1;
  expect(voice.position()).toBeCloseTo(1.6, 6);
  voice.stop();
});

test("says once that the closed take has been heard to its end", () => {
  const { context, clock, started } = fakeContext();
  const onEnded = vi.fn();
  const voice = new SpeechStreamPlayer(context, onEnded);
  voice.push(new Int16Array(12_000));
  voice.close();
  expect(onEnded).not.toHaveBeenCalled();
  clock.currentTime += 1;
  for (const piece of started) piece.end();
  vi.advanceTimersByTime(1000);
  expect(onEnded).toHaveBeenCalledTimes(1);
});

test("falls silent at a given place of the take", () => {
  const { context, clock, gainCalls } = fakeContext();
  const voice = new SpeechStreamPlayer(context, () => undefined);
  voice.push(second());
  clock.currentTime += 0.03 + 0.2;
  voice.muteAt(0.5);
  expect(gainCalls[0]?.[0]).toBe(0);
  expect(gainCalls[0]?.[1]).toBeCloseTo(clock.currentTime + 0.3, 6);
  voice.stop();
});
