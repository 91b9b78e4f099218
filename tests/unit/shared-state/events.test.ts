import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLiveBus, type LiveBus } from "../../../lib/gateway/live-bus";
import { shareEvents } from "../../../lib/shared-state/events";

/** Two processes; both receive what either of them sends. */
let buses: [LiveBus, LiveBus];
let sent: string[];
let received: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [sent, received] = [[], []];
  buses = [createLiveBus(), createLiveBus()];
  const listeners: ((message: string) => void)[] = [];
  const broadcast = {
    send(message: string): void {
      sent.push(message);
      for (const listener of listeners) listener(message);
    },
    listen: (listener: (message: string) => void) => void listeners.push(listener),
  };
  for (const [at, bus] of buses.entries()) shareEvents(broadcast, bus, `ins_${at}`);
  buses[1].watch((topic, userId) => received.push(`${topic} ${userId}`));
});
afterEach(() => {
  vi.useRealTimers();
});

test("collects the events of a process and publishes each once in the other", () => {
  buses[0].publish("usage", "usr_1");
  buses[0].publish("usage", "usr_1");
  buses[0].publish("circuits");
  vi.advanceTimersByTime(1_000);
  expect(received).toEqual(["usage usr_1", "circuits null"]);
  // The receiving process does not send the events back.
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(1);
});

test("names only the topic when requests of many users changed", () => {
  for (let user = 0; user < 300; user++) buses[0].publish("usage", `usr_${user}`);
  vi.advanceTimersByTime(1_000);
  expect(received).toEqual(["usage null"]);
});
