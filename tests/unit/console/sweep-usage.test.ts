import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sweepExpired } from "../../../lib/console/auth/sweep-expired";
import type { ConsoleServices } from "../../../lib/console/context";
import { sweepUsage } from "../../../lib/console/usage/sweep";

/** More rows than 400 transactions delete. */
const OLD_ROWS = 1_000_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NOW = 1_790_000_000_000;
const DAY_MS = 86_400_000;
let warned: string[];

/**
 * Sweeps a store of old entries; calls `afterBatch` with the number of those left. `others`: the heartbeats of other
 * instances.
 */
async function sweep(
  afterBatch: (instance: { draining: boolean }, left: number) => void = () => undefined,
  others: readonly number[] = [],
): Promise<number> {
  let left = OLD_ROWS;
  warned = [];
  const instance = { draining: false };
  const services = {
    instance,
    clock: { now: () => NOW },
    log: { warn: (event: string) => warned.push(event) },
    store: {
      settings: { all: async () => ({ retention_days: { usage: 30, prompts: null } }) },
      rejections: { sweep: async () => 0 },
      ledger: {
        instances: async () => others.map((heartbeatAt) => ({ heartbeatAt, isSelf: false })),
        maintain: async () => undefined,
        sweep: async (what: string, _before: number, limit: number) => {
          if (what === "prompts") return 0;
          const count = Math.min(left, limit);
          left -= count;
          afterBatch(instance, left);
          return count;
        },
      },
    },
  };
  // The parts that the sweep uses.
  const swept = sweepUsage(services as unknown as ConsoleServices);
  await vi.runAllTimersAsync();
  return (await swept).rows;
}

test("a sweep of the ledger deletes all old entries", async () => {
  expect(await sweep()).toBe(OLD_ROWS);
});

test("a sweep of the ledger ends when the server stops", async () => {
  const rows = await sweep((instance, left) => {
    instance.draining = left <= 900_000;
  });
  expect(rows).toBe(100_000);
});

test("a sweep of the ledger deletes nothing with a clock more than a day ahead of another server's", async () => {
  expect(await sweep(undefined, [NOW + 30 * DAY_MS, NOW - DAY_MS])).toBe(OLD_ROWS);
  expect(warned).toEqual([]);
  expect(await sweep(undefined, [NOW, NOW - DAY_MS - 1])).toBe(0);
  expect(warned).toEqual(["retention_skipped"]);
});

test("expired sessions, playground keys and old alerts are deleted in transactions of 500 rows", async () => {
  const left = { sessions: 1_200, keys: 1_200, alerts: 1_200 };
  const takeFrom =
    (what: keyof typeof left) =>
    async (_before: number, limit = 0) => {
      const count = Math.min(left[what], limit);
      left[what] -= count;
      return count;
    };
  const none = async () => 0;
  const services = {
    instance: { draining: false },
    clock: { now: () => NOW },
    store: {
      sessions: { deleteExpired: takeFrom("sessions") },
      keys: { deleteExpiredPlayground: takeFrom("keys") },
      alerts: { deleteResolved: takeFrom("alerts") },
      flows: { deleteExpired: none },
      invites: { deleteExpired: none },
      signInThrottles: { deleteUnchanged: none },
    },
  };
  // The parts that the sweep uses.
  const swept = sweepExpired(services as unknown as ConsoleServices);
  await vi.runAllTimersAsync();
  await swept;
  expect(left).toEqual({ sessions: 0, keys: 0, alerts: 0 });
});
