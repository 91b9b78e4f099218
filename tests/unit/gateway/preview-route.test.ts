import { expect, test } from "vitest";
import type { Services } from "@/lib/domain/context";
import type { Target } from "@/lib/domain/gateway/call";
import { chances, chooseChannel } from "@/lib/domain/gateway/choose-channel";
import { circuitPlace } from "@/lib/domain/gateway/circuits";
import { enterChannel } from "@/lib/domain/gateway/enter-channel";
import { gatewayState } from "@/lib/domain/gateway/gateway-state";
import { previewRoute } from "@/lib/domain/gateway/preview-route";
import { AppError } from "@/lib/errors";
import type { ChannelRecord } from "@/lib/ports/store";
import { channelRecord, openGatewayDoor } from "../../support/gateway-door";

const target = (fields: Partial<ChannelRecord>): Target => ({
  channel: channelRecord(fields),
  upstreamName: "m",
});

const namesOf = (services: Services, targets: readonly Target[]) =>
  previewRoute(services, targets).turns.map((turn) => turn.map((one) => one.target.channel.id));

/** Opens the circuit of a channel as five calls that failed would. */
function breakChannel(services: Services, id: string): void {
  for (let call = 0; call < 5; call += 1)
    gatewayState(services)
      .circuits.enter(circuitPlace(id, null))
      .failed(new AppError("upstream_error", "It failed."));
}

test("a call comes by the tiers in their order, and by a weight of nothing last of its tier", () => {
  const { services } = openGatewayDoor();
  const targets = [
    target({ id: "spare", priority: 2 }),
    target({ id: "main", priority: 0 }),
    target({ id: "resting", priority: 0, weight: 0 }),
    target({ id: "second", priority: 1 }),
  ];
  expect(namesOf(services, targets)).toEqual([["main"], ["resting"], ["second"], ["spare"]]);
});

test("channels of one tier share its calls by weight, the likeliest first", () => {
  const { services } = openGatewayDoor();
  const targets = [target({ id: "light", weight: 1 }), target({ id: "heavy", weight: 3 })];
  const [turn] = previewRoute(services, targets).turns;
  expect(turn?.map((one) => [one.target.channel.id, one.share])).toEqual([
    ["heavy", 0.75],
    ["light", 0.25],
  ]);
});

test("the shares are those of the chooser itself, speed and all", () => {
  const pool = [
    target({ id: "a", weight: 1 }),
    target({ id: "b", weight: 2 }),
    target({ id: "c", weight: 5 }),
  ];
  const scores: Record<string, number> = { a: 10, b: 300, c: 40 };
  const traffic = { score: (id: string) => scores[id] ?? 0 };
  const steps = 64;
  const counts: Record<string, number> = {};
  // Every pair of draws once, evenly.
  for (let first = 0; first < steps; first += 1)
    for (let second = 0; second < steps; second += 1) {
      const draws = [(first + 0.5) / steps, (second + 0.5) / steps];
      const random = { bytes: () => new Uint8Array(), fraction: () => draws.shift() ?? 0 };
      const chosen = chooseChannel(pool, new Set(), traffic, random);
      counts[chosen?.channel.id ?? ""] = (counts[chosen?.channel.id ?? ""] ?? 0) + 1;
    }
  for (const { target, share } of chances(pool, traffic))
    expect((counts[target.channel.id] ?? 0) / steps ** 2).toBeCloseTo(share, 10);
});

test("a channel with an open circuit is passed over, and tells why and how long", () => {
  const { services } = openGatewayDoor();
  breakChannel(services, "broken");
  const targets = [target({ id: "broken", keys: [] }), target({ id: "well", priority: 1 })];
  const { turns, skipped } = previewRoute(services, targets);
  expect(turns.flat().map((one) => one.target.channel.id)).toEqual(["well"]);
  expect(skipped.map((one) => one.refusal)).toEqual([
    { reason: "circuit", waitMs: expect.any(Number), opened: "failures" },
  ]);
  expect(skipped[0]?.refusal.waitMs).toBeGreaterThan(0);
});

test("a channel at a limit of its own is passed over, and calls find it as the preview said", () => {
  const { services } = openGatewayDoor();
  const busy = target({ id: "busy", concurrency: 1 });
  const spent = target({ id: "spent", rpm: 1 });
  const inside = enterChannel(services, busy.channel);
  enterChannel(services, spent.channel);
  const reasons = () => previewRoute(services, [busy, spent]).skipped.map((one) => one.refusal.reason);
  expect(reasons()).toEqual(["concurrency", "rpm"]);
  expect(enterChannel(services, spent.channel)).toBeNull();
  inside?.leave();
  expect(reasons()).toEqual(["rpm"]);
});

test("looking takes nothing: as many calls get in after a hundred looks as before", () => {
  const { services } = openGatewayDoor();
  const channel = target({ id: "small", rpm: 2, concurrency: 2 });
  for (let look = 0; look < 100; look += 1) expect(previewRoute(services, [channel]).skipped).toEqual([]);
  expect(enterChannel(services, channel.channel)).not.toBeNull();
  expect(enterChannel(services, channel.channel)).not.toBeNull();
  expect(enterChannel(services, channel.channel)).toBeNull();
});

test("a half-open circuit keeps its one probe for a call, however often it is looked at", () => {
  const { services, clock } = openGatewayDoor();
  breakChannel(services, "mending");
  clock.at += 31_000;
  const channel = target({ id: "mending", keys: [] });
  expect(previewRoute(services, [channel]).turns).toHaveLength(1);
  const probe = enterChannel(services, channel.channel);
  expect(probe).not.toBeNull();
  expect(previewRoute(services, [channel]).skipped).toHaveLength(1);
});
