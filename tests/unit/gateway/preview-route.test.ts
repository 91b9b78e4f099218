import { expect, test } from "vitest";
import type { ConsoleServices } from "@/lib/console/context";
import { AppError } from "@/lib/errors";
import { chooseChannel, trafficShares } from "@/lib/gateway/routing/choose-channel";
import { enterChannel, refusalOf } from "@/lib/gateway/routing/enter-channel";
import { previewRoute } from "@/lib/gateway/routing/preview-route";
import type { Target } from "@/lib/ports/catalog";
import type { ChannelRecord } from "@/lib/ports/store";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { lexicalChannel } from "../../support/factories";
import { openGatewayHarness } from "../../support/gateway-harness";

const target = (fields: Partial<ChannelRecord>): Target => ({
  channel: lexicalChannel(fields),
  upstreamName: "m",
});

const namesOf = async (services: ConsoleServices, targets: readonly Target[]) =>
  (await previewRoute(services, "m", targets)).tiers.map((turn) => turn.map((one) => one.target.channel.id));

/** Opens the circuit of a channel with five failed calls. */
function breakChannel(services: ConsoleServices, id: string): void {
  for (let call = 0; call < 5; call += 1)
    services.state.circuits
      .enter(id, null, "m")
      .failed(new AppError("upstream_error", "It failed."), new UpstreamProgress());
}

test("lists tiers in order, channels of weight 0 after the others of their priority", async () => {
  const { services } = openGatewayHarness();
  const targets = [
    target({ id: "spare", priority: 2 }),
    target({ id: "main", priority: 0 }),
    target({ id: "resting", priority: 0, weight: 0 }),
    target({ id: "second", priority: 1 }),
  ];
  expect(await namesOf(services, targets)).toEqual([["main"], ["resting"], ["second"], ["spare"]]);
});

test("lists the channels of a tier with their shares by weight, largest first", async () => {
  const { services } = openGatewayHarness();
  const targets = [target({ id: "light", weight: 1 }), target({ id: "heavy", weight: 3 })];
  const [turn] = (await previewRoute(services, "m", targets)).tiers;
  expect(turn?.map((one) => [one.target.channel.id, one.share])).toEqual([
    ["heavy", 0.75],
    ["light", 0.25],
  ]);
});

test("shows the shares that channels are chosen by, latency included", async () => {
  const pool = [
    target({ id: "a", weight: 1 }),
    target({ id: "b", weight: 2 }),
    target({ id: "c", weight: 5 }),
    target({ id: "new", weight: 1 }),
  ];
  const latencies: Record<string, number | null> = { a: 10, b: 30, c: 40, new: null };
  const latencyMs = (id: string) => latencies[id] ?? null;
  const steps = 10_000;
  const counts: Record<string, number> = {};
  for (let step = 0; step < steps; step += 1) {
    const random = { bytes: () => new Uint8Array(), fraction: () => (step + 0.5) / steps };
    const chosen = chooseChannel(pool, new Set(), {
      model: "m",
      traffic: { latencyMs },
      random,
      accessOf: () => "closed",
      mayProbe: true,
    });
    counts[chosen?.channel.id ?? ""] = (counts[chosen?.channel.id ?? ""] ?? 0) + 1;
  }
  const shares = trafficShares(pool, ({ channel }) => latencyMs(channel.id));
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  for (const [index, { channel }] of pool.entries())
    expect((counts[channel.id] ?? 0) / steps).toBeCloseTo(shares[index] ?? 0, 3);
  // 1 : 2 ÷ 9 : 5 ÷ 16 : 1
  expect(shares.map((share) => share / (shares[0] ?? 1))).toEqual([
    1,
    expect.closeTo(2 / 9, 10),
    expect.closeTo(5 / 16, 10),
    1,
  ]);
});

test("channels of weight 0 alone share their requests evenly", async () => {
  const pool = ["a", "b"].map((id) => target({ id, weight: 0 }));
  expect(trafficShares(pool, () => null)).toEqual([0.5, 0.5]);
});

test("lists a recovering channel separately from the tiers, which share all requests among healthy channels", async () => {
  const { services, clock } = openGatewayHarness();
  breakChannel(services, "mending");
  clock.at += 31_000;
  const targets = [target({ id: "mending" }), target({ id: "well" }), target({ id: "spare", priority: 1 })];
  const { tiers, recovering, skipped, attempts } = await previewRoute(services, "m", targets);
  expect(tiers.map((turn) => turn.map((one) => [one.target.channel.id, one.share]))).toEqual([
    [["well", 1]],
    [["spare", 1]],
  ]);
  expect(recovering.map((one) => [one.target.channel.id, one.health.state])).toEqual([
    ["mending", "half_open"],
  ]);
  expect([skipped, attempts]).toEqual([[], 3]);
});

test("lists recovering channels in the order in which calls try them", async () => {
  const { services, clock } = openGatewayHarness();
  for (const id of ["spare", "first"]) breakChannel(services, id);
  clock.at += 31_000;
  const targets = [target({ id: "spare", priority: 1 }), target({ id: "first" })];
  const { recovering } = await previewRoute(services, "m", targets);
  expect(recovering.map((one) => one.target.channel.id)).toEqual(["first", "spare"]);
});

test("ends although a circuit opens and becomes half-open while the route is read", async () => {
  const { services, clock } = openGatewayHarness();
  const { shared } = services.limiter;
  const enter: typeof shared.enter = (request) => {
    breakChannel(services, "first");
    clock.at += 31_000;
    return shared.enter(request);
  };
  const limiter = { ...services.limiter, shared: { ...shared, enter } };
  const targets = [target({ id: "first" }), target({ id: "limited", priority: 1, concurrency: 1 })];
  expect(await namesOf({ ...services, limiter }, targets)).toContainEqual(["limited"]);
});

test("a circuit that is open for one model does not skip the channel for another", async () => {
  const { services } = openGatewayHarness();
  const limited = new AppError("upstream_rate_limited", "Full.");
  services.state.circuits.enter("a", null, "m").failed(limited, new UpstreamProgress());
  const targets = [target({ id: "a" })];
  expect(await previewRoute(services, "m", targets)).toMatchObject({ tiers: [], attempts: 0 });
  expect(await previewRoute(services, "n", targets)).toMatchObject({ skipped: [], attempts: 2 });
});

test("skips a channel with an open circuit, with the reason and the wait", async () => {
  const { services } = openGatewayHarness();
  breakChannel(services, "broken");
  const targets = [target({ id: "broken", keys: [] }), target({ id: "well", priority: 1 })];
  const { tiers, skipped } = await previewRoute(services, "m", targets);
  expect(tiers.flat().map((one) => one.target.channel.id)).toEqual(["well"]);
  expect(skipped.map((one) => one.refusal)).toEqual([
    { reason: "circuit", waitMs: expect.any(Number), openReason: "failures", openedAt: expect.any(Number) },
  ]);
  expect(skipped[0]?.refusal.waitMs).toBeGreaterThan(0);
});

test("skips a channel at its own limit, as calls do", async () => {
  const { services } = openGatewayHarness();
  const busy = target({ id: "busy", concurrency: 1 });
  const spent = target({ id: "spent", rpm: 1 });
  const inside = await enterChannel(services, busy.channel, "m", true);
  await enterChannel(services, spent.channel, "m", true);
  const reasons = async () =>
    (await previewRoute(services, "m", [busy, spent])).skipped.map((one) => one.refusal.reason);
  expect(await reasons()).toEqual(["concurrency", "rpm"]);
  expect(await enterChannel(services, spent.channel, "m", true)).toBeNull();
  inside?.leave();
  expect(await reasons()).toEqual(["rpm"]);
});

test("the check of a channel does not take the last free slot from a call that arrives meanwhile", async () => {
  const { services } = openGatewayHarness();
  const { channel } = target({ id: "small", concurrency: 1 });
  const checking = refusalOf(services, channel, "m");
  expect(await enterChannel(services, channel, "m", true)).not.toBeNull();
  expect(await checking).toBeNull();
});

test("takes no slots: a hundred previews leave as many calls admitted as before", async () => {
  const { services } = openGatewayHarness();
  const channel = target({ id: "small", rpm: 2, concurrency: 2 });
  for (let preview = 0; preview < 100; preview += 1)
    expect((await previewRoute(services, "m", [channel])).skipped).toEqual([]);
  expect(await enterChannel(services, channel.channel, "m", true)).not.toBeNull();
  expect(await enterChannel(services, channel.channel, "m", true)).not.toBeNull();
  expect(await enterChannel(services, channel.channel, "m", true)).toBeNull();
});

test("does not use up the probe of a half-open circuit", async () => {
  const { services, clock } = openGatewayHarness();
  breakChannel(services, "mending");
  clock.at += 31_000;
  const channel = target({ id: "mending", keys: [] });
  expect((await previewRoute(services, "m", [channel])).recovering).toHaveLength(1);
  const probe = await enterChannel(services, channel.channel, "m", true);
  expect(probe).not.toBeNull();
  // While the probe runs, the channel refuses other requests, but it is listed as recovering, not as skipped.
  expect(await enterChannel(services, channel.channel, "m", true)).toBeNull();
  expect(await previewRoute(services, "m", [channel])).toMatchObject({
    tiers: [],
    skipped: [],
    recovering: [{}],
  });
});
