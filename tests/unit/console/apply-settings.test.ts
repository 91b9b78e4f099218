import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGatewayState } from "@/lib/gateway/state";
import type { Store } from "@/lib/ports/store";
import { readSettings } from "../../../lib/console/access/read-settings";
import type { ConsoleServices } from "../../../lib/console/context";
import { applyStoredSettings } from "../../../lib/console/settings/apply-settings";
import { DEFAULT_SETTINGS } from "../../../lib/contracts/console/settings";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { AppError } from "../../../lib/errors";
import type { Instance } from "../../../lib/ports/instance";
import type { Topic } from "../../../lib/ports/store";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A store with settings only, which can be made unavailable. */
function openSettings() {
  const stored: Record<string, unknown> = {};
  const listeners: ((topics: ReadonlySet<Topic>) => void)[] = [];
  const warnings: string[] = [];
  const state = { isDown: false };
  const instance = { passwordMinimum: 10, limits: { ...DEFAULT_LIMITS, attemptsPerCall: 2 } };
  // The parts of the services that are read.
  const clock = { now: Date.now, monotonic: Date.now };
  const log = { info() {}, warn: (event: string) => warnings.push(event), error() {} };
  const metrics = { count() {}, observeCall() {}, countRejection() {} };
  const store = {
    settings: {
      all: async () => {
        if (state.isDown) throw new AppError("storage_unavailable", "away");
        return { ...stored };
      },
    },
    onChange: (listener: (topics: ReadonlySet<Topic>) => void) => listeners.push(listener),
  };
  const services = {
    store,
    clock,
    state: createGatewayState({ store: store as unknown as Store, clock, log, metrics }),
    log,
    metrics,
    instance: instance as unknown as Instance,
  } as unknown as ConsoleServices;
  const notify = (topic: Topic) => {
    for (const listener of listeners) listener(new Set([topic]));
  };
  return { stored, services, instance: services.instance, notify, state, warnings };
}

test("applies another process's change after the topic `settings`, and falls back to the environment", async () => {
  const { stored, services, instance, notify } = openSettings();
  await applyStoredSettings(services);
  const limits = instance.limits;
  stored.limits = { attemptsPerCall: 5 };
  stored.password_minimum = 12;
  stored.cors_origins = ["https://app.example.com"];
  notify("users");
  await vi.advanceTimersByTimeAsync(0);
  expect(instance.passwordMinimum).toBe(10);
  notify("settings");
  await vi.advanceTimersByTimeAsync(0);
  // The limits are changed in place.
  expect(limits).toMatchObject({ attemptsPerCall: 5 });
  expect([instance.passwordMinimum, [...(instance.corsOrigins ?? [])]]).toEqual([
    12,
    ["https://app.example.com"],
  ]);
  delete stored.limits;
  stored.password_minimum = 9;
  notify("settings");
  await vi.advanceTimersByTimeAsync(0);
  expect([limits?.attemptsPerCall, instance.passwordMinimum]).toEqual([2, 10]);
});

test("applies a change that is made while the settings are first read", async () => {
  const { stored, services, instance, notify } = openSettings();
  vi.spyOn(services.store.settings, "all")
    .mockResolvedValueOnce({})
    .mockImplementationOnce(async () => {
      stored.password_minimum = 12;
      notify("settings");
      return {};
    });
  await applyStoredSettings(services);
  await vi.advanceTimersByTimeAsync(0);
  expect(instance.passwordMinimum).toBe(12);
});

test("applies a change once the store is available again", async () => {
  const { stored, services, instance, notify, state, warnings } = openSettings();
  await applyStoredSettings(services);
  stored.cors_origins = ["https://app.example.com"];
  state.isDown = true;
  notify("settings");
  await vi.advanceTimersByTimeAsync(2_500);
  expect([instance.corsOrigins?.size, warnings.length > 0]).toEqual([0, true]);
  state.isDown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(instance.corsOrigins?.size).toBe(1);
});

test("retries a failed read once a second, however many changes could not be read", async () => {
  const { services, notify, state, warnings } = openSettings();
  await applyStoredSettings(services);
  state.isDown = true;
  for (let change = 0; change < 5; change += 1) notify("settings");
  await vi.advanceTimersByTimeAsync(500);
  expect(warnings).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(warnings).toHaveLength(7);
});

test("an invalid stored setting falls back to its default, and no other setting does", async () => {
  const all = async () => ({ password_minimum: 12, retention_days: "forever" });
  // Only the stored values are read.
  const store = { settings: { all } } as unknown as Pick<Store, "settings">;
  expect(await readSettings(store)).toEqual({ ...DEFAULT_SETTINGS, password_minimum: 12 });
});
