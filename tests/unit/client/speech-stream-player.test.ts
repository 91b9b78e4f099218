import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SpeechStreamPlayer } from "@/lib/client/speech-stream-player";

interface Started {
  at: number;
  samples: number;
  first: number;
  isStopped: boolean;
  end(): void;
}

/** An AudioContext with a manual clock that records which pieces were started when. */
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
          index = started.length - 1;
        },
        stop() {
          const mine = started[index];
          if (mine) mine.isStopped = true;
        },
      };
      let index = -1;
      return node;
    },
  };
  // Has only the members that SpeechStreamPlayer uses.
  return { context: context as unknown as AudioContext, clock: context, started, gainCalls };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const second = () => new Int16Array(24_000).fill(16_384);

test("SpeechStreamPlayer starts each piece exactly where the previous one ends", () => {
  const { context, started } = fakeContext();
  const player = new SpeechStreamPlayer(context, () => undefined);
  player.push(second());
  player.push(new Int16Array(7001).fill(1));
  for (const [at, piece] of started.entries()) {
    const before = started[at - 1];
    if (before) expect(piece.at).toBeCloseTo(before.at + before.samples / 24_000, 9);
  }
  expect(started.reduce((sum, piece) => sum + piece.samples, 0)).toBe(31_001);
  expect(started[0]?.first).toBe(0.5);
  player.stop();
});

test("SpeechStreamPlayer buffers before it starts, unless the stream is closed", () => {
  const { context, started } = fakeContext();
  const player = new SpeechStreamPlayer(context, () => undefined);
  player.push(new Int16Array(100));
  expect(started).toHaveLength(0);
  player.close();
  expect(started).toHaveLength(1);
  player.stop();
});

test("SpeechStreamPlayer schedules at most a few seconds in advance", () => {
  const { context, clock, started } = fakeContext();
  const player = new SpeechStreamPlayer(context, () => undefined);
  for (let at = 0; at < 60; at += 1) player.push(second());
  const inAdvance = started.reduce((sum, piece) => sum + piece.samples, 0) / 24_000;
  expect(inAdvance).toBeLessThan(4);
  clock.currentTime += 2;
  vi.advanceTimersByTime(250);
  expect(started.reduce((sum, piece) => sum + piece.samples, 0) / 24_000).toBeGreaterThan(inAdvance + 1);
  player.stop();
});

test("SpeechStreamPlayer reports its position, also after a buffer underrun", () => {
  const { context, clock, started } = fakeContext();
  const player = new SpeechStreamPlayer(context, () => undefined);
  player.push(second());
  clock.currentTime += 0.03 + 0.4;
  expect(player.position()).toBeCloseTo(0.4, 6);
  clock.currentTime += 5;
  expect(player.position()).toBeCloseTo(1, 6);
  player.push(second());
  const resumed = started.at(-1);
  expect(resumed?.at).toBeGreaterThan(clock.currentTime);
  clock.currentTime += 0.03 + 0.25;
  expect(player.position()).toBeCloseTo(1.25, 6);
  player.stop();
});

test("SpeechStreamPlayer seeks to a sample and stops what was scheduled", () => {
  const { context, clock, started } = fakeContext();
  const player = new SpeechStreamPlayer(context, () => undefined);
  player.push(second());
  player.push(new Int16Array(24_000).fill(8192));
  const before = started.length;
  player.seek(1.5);
  expect(started.slice(0, before).every((piece) => piece.isStopped)).toBe(true);
  expect(started[before]).toMatchObject({ samples: 12_000, first: 0.25 });
  clock.currentTime += 0.03 + 0.1;
  expect(player.position()).toBeCloseTo(1.6, 6);
  player.stop();
});

test("SpeechStreamPlayer calls onEnded once after a closed stream has played to its end", () => {
  const { context, clock, started } = fakeContext();
  const onEnded = vi.fn();
  const player = new SpeechStreamPlayer(context, onEnded);
  player.push(new Int16Array(12_000));
  player.close();
  expect(onEnded).not.toHaveBeenCalled();
  clock.currentTime += 1;
  for (const piece of started) piece.end();
  vi.advanceTimersByTime(1000);
  expect(onEnded).toHaveBeenCalledTimes(1);
});

test("SpeechStreamPlayer mutes at a given position", () => {
  const { context, clock, gainCalls } = fakeContext();
  const player = new SpeechStreamPlayer(context, () => undefined);
  player.push(second());
  clock.currentTime += 0.03 + 0.2;
  player.muteAt(0.5);
  expect(gainCalls[0]?.[0]).toBe(0);
  expect(gainCalls[0]?.[1]).toBeCloseTo(clock.currentTime + 0.3, 6);
  player.stop();
});
