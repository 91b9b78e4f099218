import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLiveBus, type LiveBus } from "../../../lib/gateway/live-bus";
import type { ClusterMember } from "../../../lib/server/process/cluster-member";
import type { LiveChange } from "../../../lib/server/process/cluster-messages";
import { relayLive } from "../../../lib/server/process/live-relay";

type Handlers = ClusterMember["handlers"];

/** Two processes: what one sends, the other receives. */
let buses: [LiveBus, LiveBus];
let sent: LiveChange[][];
let heard: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [sent, heard] = [[], []];
  buses = [createLiveBus(), createLiveBus()];
  const members = buses.map(() => ({
    stop: () => undefined,
    announce: () => undefined,
    live: (_changes: LiveChange[]) => undefined,
    measure: async () => [],
  })) satisfies Handlers[];
  for (const [at, bus] of buses.entries()) {
    const publish = (changes: LiveChange[]) => {
      sent.push(changes);
      members[1 - at]?.live(changes);
    };
    const handlers = members[at];
    if (handlers) relayLive(bus, { publish, handlers });
  }
  buses[1].watch((topic, userId) => heard.push(`${topic} ${userId}`));
});
afterEach(() => {
  vi.useRealTimers();
});

test("collects the changes of a process and publishes each once in the other", () => {
  buses[0].publish("usage", "usr_1");
  buses[0].publish("usage", "usr_1");
  buses[0].publish("circuits");
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual(["usage usr_1", "circuits null"]);
  // They are not sent back.
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(1);
});

test("names the topic alone when many users' requests changed", () => {
  for (let user = 0; user < 200; user++) buses[0].publish("usage", `usr_${user}`);
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual(["usage null"]);
});
