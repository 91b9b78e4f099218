import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConsoleServices } from "../../../lib/console/context";
import { startBackground } from "../../../lib/server/process/background";

/** The background tasks of the process, with a fake clock. */

const OTHER_WORK = new Set(["alerts", "voices", "sweep", "retention"]);

let now = 0;
let monotonic = 0;
let audited: unknown[];
let warned: string[];
let beats: number[];
/** How old heartbeats must be for each settlement of orphans; null: no age counts. */
let judgedAges: (number | null)[];
let isBroken: boolean;
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  [now, monotonic, audited, warned, beats, isBroken] = [1_790_000_000_000, 0, [], [], [], false];
  judgedAges = [];
  const services = {
    instance: { dataDirectory: "/no/such/folder" },
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
        settleOrphans: async (at: number, deadBefore: number) => {
          judgedAges.push(deadBefore === 0 ? null : at - deadBefore);
          return 0;
        },
      },
      transaction: async (work: (tx: unknown) => Promise<void>) =>
        work({ audit: { append: async (entry: unknown) => audited.push(entry) } }),
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

  test("are not settled by the age of a heartbeat until this process has written its own for 30 s", async () => {
    expect(judgedAges).toEqual([null]);
    await passBeats(3);
    expect(judgedAges).toEqual([null, null]);
    await passBeats(6);
    expect(judgedAges).toEqual([null, null, 30_000, 30_000]);
  });

  test("are not settled by age during an outage of the store, or in the 30 s after it", async () => {
    await passBeats(6);
    isBroken = true;
    await passBeats(9);
    expect(judgedAges.splice(0)).toEqual([null, null, 30_000, null, null, null]);
    isBroken = false;
    // Its first heartbeat is the one of 80 s.
    await passBeats(6);
    expect(judgedAges.splice(0)).toEqual([null, null]);
    await passBeats(3);
    expect(judgedAges).toEqual([30_000]);
  });

  test.each([31_000, -31_000])(
    "are not settled by age in the 30 s after the wall clock was set by %d ms",
    async (ms) => {
      await passBeats(8);
      judgedAges = [];
      await pass(5_000, ms);
      await passBeats(3);
      expect(judgedAges).toEqual([null, null]);
      await passBeats(3);
      expect(judgedAges).toEqual([null, null, 30_000]);
    },
  );
});
