import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GatewayContext } from "@/lib/domain/context";
import type { CallPlan, Meter } from "@/lib/domain/gateway/call";
import { gatewayState } from "@/lib/domain/gateway/gateway-state";
import { withFailover } from "@/lib/domain/gateway/with-failover";
import { AppError, type ErrorCode } from "@/lib/errors";
import type { CallOptions } from "@/lib/ports/speech-model";
import type { ChannelRecord } from "@/lib/ports/store";
import { channelRecord, embedModel, openGatewayDoor } from "../../support/gateway-door";

interface Setting {
  ctx: GatewayContext;
  plan: CallPlan;
  meter: Meter;
  served: string[];
  leaving: AbortController;
}

function setting(channels: ChannelRecord[], fractions: number[] = []): Setting {
  const door = openGatewayDoor();
  const leaving = new AbortController();
  const draws = [...fractions];
  const served: string[] = [];
  // The failover looks at these alone.
  const ctx = {
    ...door.services,
    random: { fraction: () => draws.shift() ?? 0 },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    signal: leaving.signal,
    requestId: "r",
  } as unknown as GatewayContext;
  const plan = {
    entry: { model: embedModel(), routes: channels.map((channel) => ({ channel, upstreamName: "m" })) },
    operation: "embeddings",
    askedModel: "m",
  } as unknown as CallPlan;
  const meter: Meter = {
    served: (id) => served.push(id),
    firstByte() {},
    failed() {},
    settle: async () => {},
    whenSettled: (action) =>
      action({
        status: 200,
        error: null,
        inputTokens: 0,
        outputTokens: 0,
        audioMs: 0,
        estimated: false,
        cached: false,
      }),
    headers: () => ({}),
  };
  return { ctx, plan, meter, served, leaving };
}

function failing(code: ErrorCode, details = {}): () => Promise<never> {
  return () => Promise.reject(new AppError(code, "It failed.", details));
}

async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  // The test fails on the next line when this is no AppError.
  return (await promise.then(
    () => null,
    (error: unknown) => error,
  )) as AppError;
}

const three = ["a", "b", "c", "d"].map((id) => channelRecord({ id }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("three attempts, each on another channel, and then no more", async () => {
  const { ctx, plan, meter, served } = setting(three);
  const error = await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(new Set(served).size).toBe(3);
  expect(served).toHaveLength(3);
  expect(error).toMatchObject({ code: "upstream_error", details: { shouldRetry: false } });
});

test("one channel alone is tried twice, but not again when it says it is full", async () => {
  const again = setting([channelRecord({ id: "a" })]);
  await failureOf(withFailover(again.ctx, again.plan, again.meter, failing("upstream_timeout")));
  expect(again.served).toEqual(["a", "a"]);
  const full = setting([channelRecord({ id: "a" })]);
  const error = await failureOf(withFailover(full.ctx, full.plan, full.meter, failing("overloaded")));
  expect(full.served).toEqual(["a"]);
  expect(error.code).toBe("overloaded");
});

test.each([
  ["invalid", { upstreamStatus: 400 }],
  ["internal", {}],
  ["insufficient_quota", {}],
] as const)("%s is not tried again", async (code, details) => {
  const { ctx, plan, meter, served } = setting(three);
  expect((await failureOf(withFailover(ctx, plan, meter, failing(code, details)))).code).toBe(code);
  expect(served).toHaveLength(1);
});

test("what a channel cannot carry over goes to one that can, and is refused in its words when none can", async () => {
  const { ctx, plan, meter, served } = setting(three);
  const beyond = (...able: string[]) =>
    withFailover(ctx, plan, meter, async ({ channel }) => {
      if (able.includes(channel.id)) return channel.id;
      throw new AppError("invalid", `${channel.id} cannot do that.`);
    });
  expect(await beyond("d")).toBe("d");
  served.length = 0;
  const refusal = await failureOf(beyond());
  expect(new Set(served).size).toBe(4);
  expect([refusal.code, refusal.message]).toEqual(["invalid", `${served[0]} cannot do that.`]);
});

test("what is no AppError is a fault of ours and travels as it is", async () => {
  const { ctx, plan, meter } = setting(three);
  const bug = new TypeError("x is undefined");
  expect(await failureOf(withFailover(ctx, plan, meter, () => Promise.reject(bug)))).toBe(bug);
});

test("a tier is used up before the next, whatever the weights", async () => {
  const tiers = [
    channelRecord({ id: "second", priority: 1, weight: 1_000 }),
    channelRecord({ id: "first-a", priority: 0 }),
    channelRecord({ id: "first-b", priority: 0 }),
  ];
  const { ctx, plan, meter, served } = setting(tiers, [0.9, 0.9]);
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(served).toEqual(["first-b", "first-a", "second"]);
});

test("of two draws the channel with less to do wins, and a tie takes the first drawn", async () => {
  const pair = [channelRecord({ id: "a" }), channelRecord({ id: "b" })];
  const { ctx, plan, meter, served } = setting(pair, [0.9, 0.1, 0.1, 0.9]);
  let answer = (_value: string): void => {};
  const slow = withFailover(ctx, plan, meter, () => new Promise<string>((resolve) => (answer = resolve)));
  await withFailover(ctx, plan, meter, async () => "quick");
  expect(served).toEqual(["b", "a"]);
  answer("done");
  expect(await slow).toBe("done");
});

test("all attempts share one deadline, of which the first of two gets half", async () => {
  const { ctx, plan, meter, served } = setting([channelRecord({ id: "a" }), channelRecord({ id: "b" })]);
  const given: number[] = [];
  const signals: AbortSignal[] = [];
  const hang = (_target: unknown, options: CallOptions): Promise<never> => {
    given.push(options.firstByteBy - performance.now());
    signals.push(options.signal);
    return new Promise(() => {});
  };
  const failure = failureOf(withFailover(ctx, plan, meter, hang));
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await failure).code).toBe("upstream_timeout");
  expect(given).toEqual([15_000, 15_000]);
  expect(served).toHaveLength(2);
  expect(signals.every((signal) => signal.aborted)).toBe(true);
});

test("a reply that breaks while it is completed goes to the next channel, with the first byte's time untouched", async () => {
  const { ctx, plan, meter, served } = setting([channelRecord({ id: "a" }), channelRecord({ id: "b" })]);
  const given: number[] = [];
  const begin: Parameters<typeof withFailover<string>>[3] = async ({ channel }, options) => {
    given.push(options.firstByteBy - performance.now());
    return channel.id;
  };
  const complete = async (id: string): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 40_000));
    if (id === served[0]) throw new AppError("upstream_truncated", "It broke off.");
    return `${id}, whole`;
  };
  const reply = withFailover(ctx, plan, meter, begin, complete);
  await vi.advanceTimersByTimeAsync(80_000);
  expect(await reply).toBe(`${served[1]}, whole`);
  expect(new Set(served)).toEqual(new Set(["a", "b"]));
  expect(given).toEqual([15_000, 30_000]);
});

test("a caller who leaves ends the call at once, even when the engine does not listen", async () => {
  const { ctx, plan, meter, served, leaving } = setting(three);
  const failure = failureOf(withFailover(ctx, plan, meter, () => new Promise(() => {})));
  leaving.abort();
  expect((await failure).code).toBe("caller_left");
  expect(served).toHaveLength(1);
});

test("when every channel is limited upstream the least wait is told, within a minute", async () => {
  const { ctx, plan, meter } = setting(three.slice(0, 2));
  const waits = [90_000, 7_000];
  const error = await failureOf(
    withFailover(ctx, plan, meter, () =>
      Promise.reject(new AppError("upstream_rate_limited", "Later.", { retryAfterMs: waits.shift() })),
    ),
  );
  expect(error).toMatchObject({ code: "upstream_rate_limited", details: { retryAfterMs: 7_000 } });
});

test("no channel at all is 503 no_channel_available", async () => {
  const { ctx, plan, meter } = setting([]);
  expect((await failureOf(withFailover(ctx, plan, meter, async () => "x"))).code).toBe(
    "no_channel_available",
  );
});

test("second tries stop at ten in ten seconds of few calls", async () => {
  const { ctx, plan, meter, served } = setting([channelRecord({ id: "a" }), channelRecord({ id: "b" })]);
  const { circuits } = gatewayState(ctx);
  for (let call = 0; call < 20; call++) {
    await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
    // The circuits have tests of their own.
    for (const place of ["a", "b"]) circuits.close(place);
  }
  expect(served).toHaveLength(20 + 10);
  await vi.advanceTimersByTimeAsync(11_000);
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(served).toHaveLength(32);
});

test("a channel at its own limit of calls at once is passed over", async () => {
  const pair = [channelRecord({ id: "a", concurrency: 1 }), channelRecord({ id: "b", priority: 1 })];
  const { ctx, plan, meter, served } = setting(pair);
  let answer = (_value: string): void => {};
  const slow = withFailover(ctx, plan, meter, () => new Promise<string>((resolve) => (answer = resolve)));
  await withFailover(ctx, plan, meter, async () => "other");
  answer("done");
  await slow;
  await withFailover(ctx, plan, meter, async () => "free again");
  expect(served).toEqual(["a", "b", "a"]);
});

test("after five failures in a row a channel is not called, and its probe after 30 s decides", async () => {
  const { ctx, plan, meter, served } = setting([
    channelRecord({ id: "a" }),
    channelRecord({ id: "b", priority: 1 }),
  ]);
  const onlyAFails: Parameters<typeof withFailover>[3] = async ({ channel }) => {
    if (channel.id === "a") throw new AppError("upstream_error", "It failed.");
    return "ok";
  };
  // Each call has a caller of its own.
  const call = (attempt: typeof onlyAFails) =>
    withFailover({ ...ctx, signal: new AbortController().signal }, plan, meter, attempt);
  for (let time = 0; time < 8; time++) await call(onlyAFails);
  expect(served.filter((id) => id === "a")).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(30_000);
  served.length = 0;
  await call(onlyAFails);
  await call(onlyAFails);
  expect(served).toEqual(["a", "b", "b"]);
  await vi.advanceTimersByTimeAsync(30_000);
  served.length = 0;
  await call(async () => "well again");
  await call(async () => "well again");
  expect(served).toEqual(["a", "a"]);
});

test("while every channel is shut by its upstream's rate limit, the caller hears 429 with the shortest wait", async () => {
  const { ctx, plan, meter, served } = setting([channelRecord({ id: "a" }), channelRecord({ id: "b" })]);
  const waits: Record<string, number> = { a: 40_000, b: 20_000 };
  const limited: Parameters<typeof withFailover>[3] = ({ channel }) =>
    Promise.reject(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: waits[channel.id] ?? 0 }));
  await failureOf(withFailover(ctx, plan, meter, limited));
  served.length = 0;
  await vi.advanceTimersByTimeAsync(5_000);
  const error = await failureOf(withFailover(ctx, plan, meter, limited));
  expect(served).toEqual([]);
  expect(error).toMatchObject({ code: "upstream_rate_limited", details: { retryAfterMs: 15_000 } });
});

test("a key that the upstream refuses is left out at once, and the channel goes on with its other one", async () => {
  const keys = ["k1", "k2"].map((id) => ({ id, sealed: id, display: id }));
  const { ctx, plan, meter } = setting([channelRecord({ id: "a", keys })]);
  const used: string[] = [];
  const answer = await withFailover(ctx, plan, meter, async ({ channel }) => {
    const [key, ...others] = channel.keys;
    expect(others).toEqual([]);
    used.push(key?.id ?? "");
    if (key?.id === "k1") throw new AppError("upstream_error", "No.", { upstreamStatus: 401 });
    return "ok";
  });
  expect(answer).toBe("ok");
  for (let call = 0; call < 3; call++)
    await withFailover(ctx, plan, meter, async ({ channel }) => used.push(channel.keys[0]?.id ?? ""));
  expect(used).toEqual(["k1", "k2", "k2", "k2", "k2"]);
});

test("a caller's mistake and a busy engine are not held against a channel", async () => {
  const { ctx, plan, meter, served } = setting([channelRecord({ id: "a" })]);
  for (const code of ["invalid", "overloaded"] as const)
    for (let call = 0; call < 10; call++) await failureOf(withFailover(ctx, plan, meter, failing(code)));
  served.length = 0;
  await withFailover(ctx, plan, meter, async () => "fine");
  expect(served).toEqual(["a"]);
});
