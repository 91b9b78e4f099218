import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConsoleServices } from "../../../lib/console/context";
import { startBackground } from "../../../lib/server/process/background";

/** The background tasks of the process, with a fake clock. */

const OTHER_WORK = new Set(["alerts", "voices", "sweep", "retention"]);

let now = 0;
let monotonic = 0;
let audited: unknown[];
let warned: string[];
let beats: number[];
/** The last heartbeat of another instance. */
let otherBeat: number;
/** Each read of the heartbeats waits for this. */
let isReadable: Promise<void>;
/** For each settlement of orphans: whether the other instance counts as dead. */
let judgedDead: boolean[];
let isBroken: boolean;
let instance: { dataDirectory: string };
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  [now, monotonic, audited, warned, beats, isBroken] = [1_790_000_000_000, 0, [], [], [], false];
  [otherBeat, judgedDead, isReadable] = [now, [], Promise.resolve()];
  instance = { dataDirectory: "/no/such/folder" };
  const services = {
    instance,
    clock: { now: () => now, monotonic: () => monotonic },
    log: {
      info() {},
      warn(event: string, fields?: { reason?: string }) {
        // Alerts, voices, sweeps and retention have their own tests; here they find no store.
        if (!OTHER_WORK.has(fields?.reason ?? "")) warned.push(event);
      },
      error() {},
    },
    store: {
      ledger: {
        instances: async () => {
          await isReadable;
          return [{ id: "other", heartbeatAt: otherBeat, isSelf: false, report: null }];
        },
        settleOrphans: async (deadBefore: number, isDead: (id: string) => boolean) => {
          judgedDead.push(isDead("other") || otherBeat < deadBefore);
          return 0;
        },
      },
      transaction: async (work: (tx: unknown) => Promise<void>) => {
        if (isBroken) throw new Error("away");
        await work({ audit: { append: async (entry: unknown) => audited.push(entry) } });
      },
    },
  };
  const beat = async () => {
    if (isBroken) throw new Error("away");
    beats.push(now);
  };
  // The parts that background tasks use.
  stop = await startBackground(services as unknown as ConsoleServices, { beat, server: "self" });
  beats = [];
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** Advances time; `wallMs`: how much more on the wall clock than on the monotonic clock. */
async function pass(ms: number, wallMs = 0): Promise<void> {
  monotonic += ms;
  now += ms + wallMs;
  await vi.advanceTimersByTimeAsync(ms);
}

describe("a change of the wall clock", () => {
  test.each([
    ["an hour ahead", 3_600_000],
    ["an hour back", -3_600_000],
    ["31 s back", -31_000],
  ])("is logged and audited once: %s", async (_name, wallMs) => {
    await pass(5_000);
    await pass(5_000, wallMs);
    await pass(20_000);
    expect(warned).toEqual(["clock_jumped"]);
    expect(audited).toEqual([
      expect.objectContaining({ actor: "system", action: "clock.jump", detail: { milliseconds: wallMs } }),
    ]);
  });

  test("is logged at once, and audited once with its time when the store is available again", async () => {
    await pass(5_000);
    isBroken = true;
    await pass(5_000, 3_600_000);
    const ahead = now;
    await pass(5_000, -3_600_000);
    const back = now;
    expect(warned.filter((event) => event === "clock_jumped")).toHaveLength(2);
    expect(audited).toEqual([]);
    isBroken = false;
    await pass(10_000);
    expect(audited).toMatchObject([
      { action: "clock.jump", at: ahead, detail: { milliseconds: 3_600_000 } },
      { action: "clock.jump", at: back, detail: { milliseconds: -3_600_000 } },
    ]);
    expect(warned.filter((event) => event === "clock_jumped")).toHaveLength(2);
  });

  test("is ignored when it is a slew of one second per check", async () => {
    for (let i = 0; i < 40; i++) await pass(5_000, i % 2 ? 1_000 : -1_000);
    expect(warned).toEqual([]);
    expect(audited).toEqual([]);
  });
});

describe("the heartbeat", () => {
  test("is written every five seconds until shutdown", async () => {
    await pass(15_000);
    expect(beats.length).toBe(3);
    stop();
    await pass(15_000);
    expect(beats.length).toBe(3);
  });

  test("continues when the store is available again", async () => {
    isBroken = true;
    await pass(10_000);
    expect(warned).toEqual(["background_failed", "background_failed"]);
    isBroken = false;
    await pass(5_000);
    expect(beats.length).toBe(1);
  });
});

describe("the calls of other instances", () => {
  /** Advances time by `count` heartbeats. */
  const passBeats = async (count: number): Promise<void> => {
    for (let beat = 0; beat < count; beat++) await pass(5_000);
  };

  test("are not settled for an unchanged heartbeat until this process has written its own for 30 s", async () => {
    expect(judgedDead).toEqual([false]);
    await passBeats(3);
    expect(judgedDead).toEqual([false, false]);
    await passBeats(6);
    expect(judgedDead).toEqual([false, false, true, true]);
  });

  test("are not settled for an unchanged heartbeat during an outage of the store, or in the 30 s after it", async () => {
    await passBeats(6);
    isBroken = true;
    await passBeats(9);
    expect(judgedDead.splice(0)).toEqual([false, false, true, false, false, false]);
    isBroken = false;
    // The first heartbeat after the outage is written at 80 s.
    await passBeats(6);
    expect(judgedDead.splice(0)).toEqual([false, false]);
    await passBeats(3);
    expect(judgedDead).toEqual([true]);
  });

  test.each([31_000, -31_000])(
    "are not settled for an unchanged heartbeat in the 30 s after the wall clock was set by %d ms",
    async (ms) => {
      await passBeats(8);
      judgedDead = [];
      await pass(5_000, ms);
      await passBeats(3);
      expect(judgedDead).toEqual([false, false]);
      await passBeats(3);
      expect(judgedDead).toEqual([false, false, true]);
    },
  );

  test.each([-60_000, 60_000])(
    "are not settled while their instance writes heartbeats with a clock that is %d ms off",
    async (ms) => {
      for (let beat = 0; beat < 24; beat++) {
        otherBeat = now + ms;
        await passBeats(1);
      }
      expect(judgedDead).toEqual(Array(9).fill(false));
    },
  );

  test("are settled once their instance writes no heartbeats, even if its clock is an hour ahead", async () => {
    otherBeat = now + 3_600_000;
    await passBeats(9);
    expect(judgedDead).toEqual([false, false, false, true]);
  });

  test("are not settled when a heartbeat was read late, and stays the same for 10 s after that", async () => {
    await passBeats(3);
    let read = () => {};
    isReadable = new Promise((resolve) => {
      read = resolve;
    });
    await passBeats(10);
    otherBeat = now;
    read();
    await passBeats(2);
    expect(judgedDead).toEqual(Array(4).fill(false));
  });
});

test("files that other processes leave behind after the start are removed, too", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-background-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const left = path.join(folder, "spool-a1B2c3");
  mkdirSync(left);
  utimesSync(left, 1, 1);
  instance.dataDirectory = folder;
  await pass(300_000);
  vi.useRealTimers();
  await expect.poll(() => existsSync(left)).toBe(false);
});
