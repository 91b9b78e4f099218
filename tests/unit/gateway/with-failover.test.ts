import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS } from "@/lib/contracts/limits";
import { AppError, type ErrorCode } from "@/lib/errors";
import type { CallPlan, Meter } from "@/lib/gateway/call";
import type { GatewayContext } from "@/lib/gateway/context";
import { CallMeter } from "@/lib/gateway/metering/meter";
import { refusalOf } from "@/lib/gateway/routing/enter-channel";
import { withFailover } from "@/lib/gateway/routing/with-failover";
import { createGatewayState } from "@/lib/gateway/state";
import { channelKeyAad } from "@/lib/ports/channel-probe";
import type { CallOptions } from "@/lib/ports/speech-model";
import type { ChannelRecord, SkippedChannel, UsageRecord } from "@/lib/ports/store";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { createCipher } from "@/lib/store/cipher";
import type { StopSignal } from "../../../lib/ports/stop-signal";
import { embedModel, lexicalChannel, SYSTEM_CLOCK, userRecord } from "../../support/factories";
import { openGatewayHarness } from "../../support/gateway-harness";
import { callOptions, channelTo, createRig } from "../../support/upstream/rig";

/** The result of a call, as the meter settles it. */
const SETTLEMENT = {
  status: 200,
  error: null,
  inputTokens: 0,
  outputTokens: 0,
  audioMs: 0,
  estimated: false,
  cached: false,
};

interface Setting {
  ctx: GatewayContext;
  plan: CallPlan;
  meter: Meter;
  served: string[];
  skipped: SkippedChannel[];
  leaving: AbortController;
}

function setting(channels: ChannelRecord[], fractions: number[] = []): Setting {
  const harness = openGatewayHarness();
  const leaving = new AbortController();
  const draws = [...fractions];
  const served: string[] = [];
  const clock = SYSTEM_CLOCK;
  // withFailover reads only these fields.
  const ctx = {
    services: {
      ...harness.services,
      random: { fraction: () => draws.shift() ?? 0 },
      clock,
      state: createGatewayState({ ...harness.services, clock }),
    },
    caller: { owner: userRecord() },
    signal: leaving.signal,
    requestId: "r",
  } as unknown as GatewayContext;
  const plan = {
    entry: {
      model: embedModel(),
      routes: channels.map((channel) => ({ channel, upstreamName: "m" })),
      disabledChannels: [],
    },
    requestedModel: "m",
  } as unknown as CallPlan;
  const skipped: SkippedChannel[] = [];
  const meter: Meter = {
    attemptStarted: (id) => served.push(id),
    answered() {},
    firstByte() {},
    failed() {},
    skipped: (channels) => skipped.push(...channels),
    settle: async () => {},
    whenSettled: (action) => action(SETTLEMENT),
    headers: () => ({}),
    logFields: () => ({ model: "m", channel: undefined }),
  };
  return { ctx, plan, meter, served, skipped, leaving };
}

function failing(code: ErrorCode, details = {}): () => Promise<never> {
  return () => Promise.reject(new AppError(code, "It failed.", details));
}

async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  // The caller's assertion fails for any other error.
  return (await promise.then(
    () => null,
    (error: unknown) => error,
  )) as AppError;
}

const FOUR = ["a", "b", "c", "d"].map((id) => lexicalChannel({ id }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("makes at most three attempts, each on another channel", async () => {
  const { ctx, plan, meter, served } = setting(FOUR);
  const error = await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(new Set(served).size).toBe(3);
  expect(served).toHaveLength(3);
  expect(error).toMatchObject({ code: "upstream_error", details: { shouldRetry: false } });
});

test("lets neither the deadline nor a caller who leaves end an attempt whose replies are complete", async () => {
  const { ctx, plan, meter, served, leaving } = setting(FOUR);
  let finish: (value: string) => void = () => undefined;
  const result = withFailover(ctx, plan, meter, async (_target, options) => {
    options.onReplied?.();
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  });
  await vi.advanceTimersByTimeAsync(DEFAULT_LIMITS.callMs);
  leaving.abort(new AppError("caller_left", "The client disconnected."));
  finish("vectors");
  await expect(result).resolves.toBe("vectors");
  expect(served).toHaveLength(1);
});

test.each([
  ["a caller who left before", "caller_left", { beforeMs: 0, afterMs: null }],
  ["a caller who leaves later", "caller_left", { beforeMs: null, afterMs: 0 }],
  ["a deadline that is over", "upstream_timeout", { beforeMs: DEFAULT_LIMITS.callMs, afterMs: null }],
  ["the deadline", "upstream_timeout", { beforeMs: null, afterMs: DEFAULT_LIMITS.callMs }],
] as const)(
  "%s ends an attempt that sends its call again after a reply",
  async (_who, code, { beforeMs, afterMs }) => {
    const { ctx, plan, meter, leaving } = setting([lexicalChannel({ id: "a" })]);
    const pass = async (ms: number | null) => {
      if (ms === 0) leaving.abort(new AppError("caller_left", "The client disconnected."));
      else if (ms !== null) await vi.advanceTimersByTimeAsync(ms);
    };
    const signals: StopSignal[] = [];
    const failed = failureOf(
      withFailover(ctx, plan, meter, async (_target, { signal, onReplied, onRepeat }) => {
        signals.push(signal);
        onReplied?.();
        await pass(beforeMs);
        onRepeat?.();
        await pass(afterMs);
        return new Promise<string>(() => undefined);
      }),
    );
    await vi.advanceTimersByTimeAsync(2 * DEFAULT_LIMITS.callMs);
    const { code: thrown, message } = await failed;
    expect(thrown).toBe(code);
    if (code === "upstream_timeout")
      expect(message).toBe("The channel failed at a batch and did not answer its repeat within 30000 ms.");
    expect(signals[0]?.aborted).toBe(true);
  },
);

test("the first-byte time stops neither an attempt that has failed nor a stream that has begun", async () => {
  const { ctx, plan, meter } = setting(FOUR);
  const signals: StopSignal[] = [];
  await withFailover(ctx, plan, meter, async (_target, { signal }) => {
    signals.push(signal);
    if (signals.length === 1) throw new AppError("upstream_error", "It failed.");
    return "stream";
  });
  await vi.advanceTimersByTimeAsync(DEFAULT_LIMITS.callMs);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
});

test("subtracts the time spent on a list of voices from the first-byte time", async () => {
  const { ctx, plan, meter } = setting(FOUR);
  const ends: number[] = [];
  const attempt: Parameters<typeof withFailover>[3] = async (_target, { firstByteBy }) =>
    ends.push(firstByteBy);
  await withFailover(ctx, plan, meter, attempt);
  await withFailover(ctx, { ...plan, voiceListWaitMs: 2_000 }, meter, attempt);
  // A first attempt gets half of what is left.
  expect((ends[0] ?? 0) - (ends[1] ?? 0)).toBe(1_000);
});

test("makes two attempts on a single channel, but not after it is overloaded", async () => {
  const again = setting([lexicalChannel({ id: "a" })]);
  await failureOf(withFailover(again.ctx, again.plan, again.meter, failing("upstream_timeout")));
  expect(again.served).toEqual(["a", "a"]);
  const full = setting([lexicalChannel({ id: "a" })]);
  const error = await failureOf(withFailover(full.ctx, full.plan, full.meter, failing("overloaded")));
  expect(full.served).toEqual(["a"]);
  expect(error.code).toBe("overloaded");
});

test.each([
  ["a failure of the upstream", "upstream_invalid", {}, false, "open"],
  ["a failure that the request caused", "upstream_invalid", { isCausedByRequest: true }, false, "closed"],
  ["an upstream that is late", "upstream_timeout", {}, false, "open"],
  ["a built-in engine that is late", "upstream_timeout", {}, true, "closed"],
  ["a built-in engine that fails", "upstream_error", {}, true, "open"],
] as const)(
  "opens the circuit, or keeps it closed, as the failure requires: five times %s, before a reply and in a stream",
  async (_what, code, details, embedded, state) => {
    const beforeReply = setting([lexicalChannel({ id: "a", embedded })]);
    const inStream = setting([lexicalChannel({ id: "a", embedded })]);
    const isCausedByRequest = "isCausedByRequest" in details;
    inStream.meter.whenSettled = (action) =>
      action({ ...SETTLEMENT, status: 502, error: code, isCausedByRequest });
    for (let n = 0; n < 5; n += 1) {
      await failureOf(
        withFailover(beforeReply.ctx, beforeReply.plan, beforeReply.meter, failing(code, details)),
      );
      await withFailover(inStream.ctx, inStream.plan, inStream.meter, async () => "begun");
    }
    for (const { ctx, plan } of [beforeReply, inStream]) {
      const { circuits } = ctx.services.state;
      expect(circuits.health("a", null, plan.entry.model.name).state).toBe(state);
    }
  },
);

test("calls no other channel for a request that would fail on each", async () => {
  const { ctx, plan, meter, served } = setting(FOUR);
  const details = { isCausedByRequest: true, shouldRetry: false };
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_timeout", details)));
  expect(served).toHaveLength(1);
  const blocked = setting(FOUR);
  const onlyHere = failing("upstream_invalid", { isCausedByRequest: true });
  await failureOf(withFailover(blocked.ctx, blocked.plan, blocked.meter, onlyHere));
  expect(blocked.served).toHaveLength(3);
});

test("marks the attempts of a long text", async () => {
  for (const [characters, isLarge] of [
    [4_000, false],
    [4_001, true],
  ] as const) {
    const { ctx, plan, meter } = setting(FOUR);
    const progress = await withFailover(
      ctx,
      { ...plan, characters },
      meter,
      async (_target, options) => options.progress,
    );
    expect(progress?.isLarge).toBe(isLarge);
  }
});

test("passes the ID of the API key's owner to the channel", async () => {
  const { ctx, plan, meter } = setting(FOUR);
  const ownerId = await withFailover(ctx, plan, meter, async (_target, options) => options.ownerId);
  expect(ownerId).toBe(ctx.caller.owner.id);
});

test("does not repeat a request that caused its failure on the same channel", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a", embedded: false })]);
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_invalid", { isCausedByRequest: true })));
  expect(served).toEqual(["a"]);
});

test.each([
  ["invalid", { upstreamStatus: 400 }],
  ["internal", {}],
  ["insufficient_quota", {}],
] as const)("does not retry %s", async (code, details) => {
  const { ctx, plan, meter, served } = setting(FOUR);
  expect((await failureOf(withFailover(ctx, plan, meter, failing(code, details)))).code).toBe(code);
  expect(served).toHaveLength(1);
});

test("passes a request that a channel does not support to one that does, and returns its error when none does", async () => {
  const { ctx, plan, meter, served } = setting(FOUR);
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

test("rethrows an error that is not an AppError unchanged", async () => {
  const { ctx, plan, meter } = setting(FOUR);
  const bug = new TypeError("x is undefined");
  expect(await failureOf(withFailover(ctx, plan, meter, () => Promise.reject(bug)))).toBe(bug);
});

test("uses up a tier before the next, regardless of weights", async () => {
  const tiers = [
    lexicalChannel({ id: "second", priority: 1, weight: 1_000 }),
    lexicalChannel({ id: "first-a", priority: 0 }),
    lexicalChannel({ id: "first-b", priority: 0 }),
  ];
  const { ctx, plan, meter, served } = setting(tiers, [0.9, 0.9]);
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(served).toEqual(["first-b", "first-a", "second"]);
});

test("a probe goes to the first attempt of a request; a failover prefers closed circuits of any tier", async () => {
  const tiers = [
    lexicalChannel({ id: "a" }),
    lexicalChannel({ id: "b" }),
    lexicalChannel({ id: "c", priority: 1 }),
  ];
  const { ctx, plan, meter, served } = setting(tiers, [0.9, 0.9]);
  const { circuits } = ctx.services.state;
  for (const id of ["a", "b"])
    for (let time = 0; time < 5; time++)
      circuits
        .enter(id, null, "patchbay-embed")
        .failed(new AppError("upstream_error", "Gone."), new UpstreamProgress());
  await vi.advanceTimersByTimeAsync(30_000);
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(served).toEqual(["a", "c", "b"]);
});

test("all attempts share one deadline, and the first of two gets half of it", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  const given: number[] = [];
  const signals: StopSignal[] = [];
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

test.each([
  // No other channel accepts a request before the deadline.
  [60_000, ["c", "c"], [15_000, 30_000]],
  // The repeat would have to end after half of the time, before a and b accept a request.
  [20_000, ["c", "c"], [15_000, 30_000]],
  // The circuits of a and b are half-open by the third attempt.
  [1_000, ["c", "c", "a"], [15_000, 15_000, 15_000]],
])("a repeat leaves time to a channel that recovers after %d ms", async (retryAfterMs, asked, times) => {
  const { ctx, plan, meter, served } = setting(["a", "b", "c"].map((id) => lexicalChannel({ id })));
  const limited = new AppError("upstream_rate_limited", "Full.", { retryAfterMs });
  const { circuits } = ctx.services.state;
  for (const id of ["a", "b"])
    circuits.enter(id, null, "patchbay-embed").failed(limited, new UpstreamProgress());
  const given: number[] = [];
  const hang = (_target: unknown, options: CallOptions): Promise<never> => {
    given.push(options.firstByteBy - performance.now());
    if (given.length === 1) return Promise.reject(new AppError("upstream_error", "It failed."));
    return new Promise(() => {});
  };
  const failure = failureOf(withFailover(ctx, plan, meter, hang));
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await failure).code).toBe("upstream_timeout");
  expect(served).toEqual(asked);
  expect(given).toEqual(times);
});

test("a language that an upstream's model lacks is no answer while a channel that may speak it is busy", async () => {
  const { ctx, plan, meter } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  const unsupported = new AppError("invalid", "No Thai.", { upstreamStatus: 400, isCausedByRequest: true });
  const limited = new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 2_000 });
  const attempt = (busy: AppError) => async (target: { channel: ChannelRecord }) => {
    throw target.channel.id === "a" ? unsupported : busy;
  };
  const first = failureOf(withFailover(ctx, plan, meter, attempt(limited)));
  expect(await first).toMatchObject({ code: "upstream_rate_limited", details: { retryAfterMs: 2_000 } });
  // The circuit of b is open now.
  expect(await failureOf(withFailover(ctx, plan, meter, attempt(limited)))).toMatchObject({
    code: "no_channel_available",
  });
  const other = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  const both = withFailover(other.ctx, other.plan, other.meter, attempt(unsupported));
  expect(await failureOf(both)).toBe(unsupported);
  expect(other.served).toEqual(["a", "b"]);
  const many = setting(FOUR);
  const all = withFailover(many.ctx, many.plan, many.meter, () => Promise.reject(unsupported));
  expect(await failureOf(all)).toBe(unsupported);
  // Each refusal of an upstream is an attempt.
  expect(many.served).toHaveLength(3);
});

test.each([
  [["a"], 30_000],
  [["a", "b"], 15_000],
])(
  "a built-in engine gets the whole first-byte time only if no other channel could use the rest: %j",
  async (ids, time) => {
    const { ctx, plan, meter } = setting(ids.map((id) => lexicalChannel({ id })));
    const given: number[] = [];
    await withFailover(ctx, plan, meter, async (_target, options) => {
      given.push(options.firstByteBy - performance.now());
    });
    expect(given).toEqual([time]);
  },
);

test("a reply that arrives all at once gets more time, which is not subtracted from the next channel's", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  Object.assign(ctx, { receivedAt: performance.now() });
  const given: number[] = [];
  const hang = (_target: unknown, options: CallOptions): Promise<never> => {
    given.push(options.firstByteBy - performance.now());
    given.push((options.extendFirstByte?.(50_000) ?? 0) - performance.now());
    return new Promise(() => {});
  };
  const failure = failureOf(withFailover(ctx, plan, meter, hang));
  await vi.advanceTimersByTimeAsync(64_999);
  expect(served).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(65_001);
  expect((await failure).message).toBe("The channel did not respond within 65000 ms.");
  expect(given).toEqual([15_000, 65_000, 15_000, 65_000]);
});

test("a reply that arrives all at once and is incomplete leaves the next channel its whole time", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  Object.assign(ctx, { receivedAt: performance.now() });
  const given: number[] = [];
  const begin: Parameters<typeof withFailover<string>>[3] = async ({ channel }, options) => {
    given.push(options.firstByteBy - performance.now());
    options.extendFirstByte?.(50_000);
    await vi.advanceTimersByTimeAsync(60_000);
    return channel.id;
  };
  const complete = async (id: string): Promise<string> => {
    if (id === served[0]) throw new AppError("upstream_truncated", "It ended as OTHER.");
    return id;
  };
  expect(await withFailover(ctx, plan, meter, begin, complete)).toBe(served[1]);
  expect(given).toEqual([15_000, 15_000]);
});

test("a reply that arrives all at once gets at most the rest of the call's total time", async () => {
  const { ctx, plan, meter } = setting([lexicalChannel({ id: "a" })]);
  Object.assign(ctx, { receivedAt: performance.now() - 100_000 });
  const given = await withFailover(ctx, plan, meter, async (_target, options) => {
    return (options.extendFirstByte?.(DEFAULT_LIMITS.callMs) ?? 0) - performance.now();
  });
  expect(given).toBe(DEFAULT_LIMITS.callMs - 100_000);
});

test("a reply that arrives all at once does not count for the channel's latency", async () => {
  const { ctx, plan, meter } = setting([lexicalChannel({ id: "a" })]);
  Object.assign(ctx, { receivedAt: performance.now() });
  const { traffic } = ctx.services.state;
  const latencyMs = () => traffic.latencyMs("a", plan.entry.model.name);
  const attempt: Parameters<typeof withFailover>[3] = async (_target, options) => {
    options.extendFirstByte?.(50_000);
    await vi.advanceTimersByTimeAsync(40_000);
    return latencyMs();
  };
  expect(await withFailover(ctx, plan, meter, attempt)).toBeNull();
  expect(latencyMs()).toBeNull();
});

test("a buffered reply that breaks fails over without using up the first-byte time", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
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

test("a buffered reply's trace has each upstream's first byte, its ledger entry the time of the first byte sent", async () => {
  const { ctx, plan } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  // The other fields of an entry are set when the call is admitted.
  const row = { at: 0, firstByteMs: null } as UsageRecord;
  const recorded: UsageRecord[] = [];
  const meter = new CallMeter(
    { ...ctx, receivedAt: performance.now(), onRecorded: (one) => recorded.push(one) },
    plan,
    row,
    {},
    true,
  );
  const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  let completed = 0;
  const reply = withFailover(
    ctx,
    plan,
    meter,
    async () => after(2_000),
    async () => {
      await after(40_000);
      completed += 1;
      if (completed === 1) throw new AppError("upstream_truncated", "It broke off.");
    },
  );
  await vi.advanceTimersByTimeAsync(90_000);
  await reply;
  expect(meter.headers()["x-patchbay-overhead-ms"]).toBe("6000.0");
  await meter.settle(SETTLEMENT);
  expect(recorded[0]?.trace?.attempts.map(({ firstByteMs }) => firstByteMs)).toEqual([2_000, 44_000]);
  expect(recorded[0]?.firstByteMs).toBe(84_000);
});

test("a caller who leaves ends the call immediately, even if the engine ignores the signal", async () => {
  const { ctx, plan, meter, served, leaving } = setting(FOUR);
  const failure = failureOf(withFailover(ctx, plan, meter, () => new Promise(() => {})));
  leaving.abort();
  expect((await failure).code).toBe("caller_left");
  expect(served).toHaveLength(1);
});

test("returns the shortest wait, at most a minute, and the last message when upstreams limit every channel", async () => {
  const { ctx, plan, meter } = setting(FOUR.slice(0, 2));
  const waits = [90_000, 7_000];
  const error = await failureOf(
    withFailover(ctx, plan, meter, () => {
      const message = `${waits.length} to go.`;
      return Promise.reject(new AppError("upstream_rate_limited", message, { retryAfterMs: waits.shift() }));
    }),
  );
  expect(error).toMatchObject({
    code: "upstream_rate_limited",
    message: "1 to go.",
    details: { retryAfterMs: 7_000 },
  });
});

test("rejects a request for a model without channels with no_channel_available", async () => {
  const { ctx, plan, meter } = setting([]);
  expect((await failureOf(withFailover(ctx, plan, meter, async () => "x"))).code).toBe(
    "no_channel_available",
  );
});

/** Sends requests one after another, each with its own caller; keeps the circuits closed. */
async function sendMany(
  { ctx, plan, meter }: Setting,
  count: number,
  attempt: Parameters<typeof withFailover>[3],
): Promise<(string | null)[]> {
  const ends: (string | null)[] = [];
  for (let number = 0; number < count; number++) {
    const own = { ...ctx, signal: new AbortController().signal };
    ends.push(
      await withFailover(own, plan, meter, attempt).then(
        () => null,
        (error: AppError) => error.code,
      ),
    );
    for (const { channel } of plan.entry.routes) ctx.services.state.circuits.close(channel.id);
  }
  return ends;
}

test("a failover to a channel with a closed circuit is never refused", async () => {
  const pair = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b", priority: 1 })]);
  const onlyBServes: Parameters<typeof withFailover>[3] = async ({ channel }) => {
    if (channel.id === "a") throw new AppError("upstream_error", "No.", { upstreamStatus: 503 });
  };
  expect(new Set(await sendMany(pair, 150, onlyBServes))).toEqual(new Set([null]));
  expect(pair.served.filter((id) => id === "b")).toHaveLength(150);
});

test("serves 150 of 150 requests when the first channel answers 503 to a fifth of them", async () => {
  const { ctx, plan, meter, served } = setting([
    lexicalChannel({ id: "a" }),
    lexicalChannel({ id: "b", priority: 1 }),
  ]);
  let asked = 0;
  const replies: string[] = [];
  for (let number = 0; number < 150; number++) {
    const own = { ...ctx, signal: new AbortController().signal };
    const reply = await withFailover(own, plan, meter, async ({ channel }) => {
      if (channel.id === "a" && ++asked % 5 === 0)
        throw new AppError("upstream_error", "No.", { upstreamStatus: 503 });
      return channel.id;
    });
    replies.push(reply);
  }
  expect(replies).toHaveLength(150);
  expect(served.filter((id) => id === "b")).toHaveLength(30);
});

test("serves 64 concurrent callers on the second channel when the first dies", async () => {
  const { ctx, plan, meter } = setting([
    lexicalChannel({ id: "a" }),
    lexicalChannel({ id: "b", priority: 1 }),
  ]);
  const replies = Array.from({ length: 64 }, () =>
    withFailover({ ...ctx, signal: new AbortController().signal }, plan, meter, async ({ channel }) => {
      if (channel.id === "a") throw new AppError("upstream_error", "Gone.");
      return channel.id;
    }),
  );
  expect(new Set(await Promise.all(replies))).toEqual(new Set(["b"]));
});

test("requests to a dead model do not affect the failover of another model", async () => {
  const pair = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  await sendMany(pair, 30, failing("upstream_error"));
  const other = {
    ...pair,
    plan: { ...pair.plan, entry: { ...pair.plan.entry, model: embedModel({ name: "n" }) } },
  };
  let isFirst = true;
  const flaky = async () => {
    isFirst = !isFirst;
    if (!isFirst) throw new AppError("upstream_error", "Once.");
  };
  expect(await sendMany(other, 20, flaky)).toEqual(Array(20).fill(null));
});

test("limits repeats on a single channel to ten in ten seconds of few requests", async () => {
  const alone = setting([lexicalChannel({ id: "a" })]);
  await sendMany(alone, 20, failing("upstream_error"));
  expect(alone.served).toHaveLength(20 + 10);
  await vi.advanceTimersByTimeAsync(10_000);
  await sendMany(alone, 1, failing("upstream_error"));
  expect(alone.served).toHaveLength(32);
});

test("limits repeats on a busy channel to a tenth of its requests", async () => {
  const alone = setting([lexicalChannel({ id: "a" })]);
  await sendMany(alone, 200, async () => {});
  alone.served.length = 0;
  await sendMany(alone, 100, failing("upstream_error"));
  expect(alone.served).toHaveLength(100 + 30);
  const other = { ...alone, ...setting([lexicalChannel({ id: "b" })]) };
  await sendMany(other, 20, failing("upstream_error"));
  expect(other.served).toHaveLength(20 + 10);
});

test("a failed batch takes one repeat from the budget for all its callers", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" })]);
  for (let round = 0; round < 10; round++) {
    const batch = new UpstreamProgress();
    const calls = Array.from({ length: 64 }, () => {
      let isFirst = true;
      const own = { ...ctx, signal: new AbortController().signal };
      return withFailover(own, plan, meter, async (_target, { progress }) => {
        if (!isFirst) return "ok";
        isFirst = false;
        if (progress !== undefined) progress.batch = batch;
        throw new AppError("upstream_error", "The batch failed.", { upstreamStatus: 503 });
      });
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["ok"]));
  }
  expect(served).toHaveLength(10 * 64 * 2);
});

test("repeats once on the only channel with a closed circuit", async () => {
  const { ctx, plan, meter, served } = setting(
    [lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })],
    [0.9],
  );
  ctx.services.state.circuits
    .enter("a", null, "patchbay-embed")
    .failed(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 60_000 }), new UpstreamProgress());
  await failureOf(withFailover(ctx, plan, meter, failing("upstream_error")));
  expect(served).toEqual(["b", "b"]);
});

test("repeats once on the channel that failed when no other channel supports the request", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  const unsupported = new AppError("invalid", "Channel b cannot do that.");
  const failures = [new AppError("upstream_error", "It failed."), unsupported];
  const attempt = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return "served";
  };
  await expect(withFailover(ctx, plan, meter, attempt)).resolves.toBe("served");
  expect(served).toEqual(["a", "b", "a"]);
});

test("returns the error of the only channel, which does not support the request and is full now", async () => {
  const { ctx, plan, meter } = setting([lexicalChannel({ id: "a", rpm: 1 })]);
  const attempt = () => Promise.reject(new AppError("invalid", "It cannot do that."));
  expect((await failureOf(withFailover(ctx, plan, meter, attempt))).code).toBe("invalid");
});

test("returns 503 when the channels that could support the request accept none at the moment", async () => {
  const { ctx, plan, meter } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
  const attempt = () => Promise.reject(new AppError("invalid", "It cannot do that."));
  expect((await failureOf(withFailover(ctx, plan, meter, attempt))).code).toBe("invalid");
  ctx.services.state.circuits
    .enter("a", null, "patchbay-embed")
    .failed(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 60_000 }), new UpstreamProgress());
  expect((await failureOf(withFailover(ctx, plan, meter, attempt))).code).toBe("no_channel_available");
});

test("repeats once on a channel that does not support the request the second time", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" })]);
  const failures = [new AppError("upstream_error", "It failed.")];
  const attempt = () => Promise.reject(failures.shift() ?? new AppError("invalid", "It cannot do that."));
  expect((await failureOf(withFailover(ctx, plan, meter, attempt))).code).toBe("upstream_error");
  expect(served).toEqual(["a", "a"]);
});

test("serves a model that is unknown to an upstream on the next channel, and returns 404 when no upstream knows it", async () => {
  const { ctx, plan, meter, served } = setting(FOUR.slice(0, 2), [0.1]);
  const unknown = () =>
    new AppError("invalid", "The model `m` does not exist.", { upstreamStatus: 404, isUnknownModel: true });
  const known = await withFailover(ctx, plan, meter, async ({ channel }) => {
    if (channel.id === "a") throw unknown();
    return channel.id;
  });
  expect([known, served]).toEqual(["b", ["a", "b"]]);
  const error = await failureOf(withFailover(ctx, plan, meter, () => Promise.reject(unknown())));
  expect(error).toMatchObject({
    code: "invalid",
    message: "The model `m` does not exist.",
    details: { upstreamStatus: 404, shouldRetry: false },
  });
});

test.each([
  [1, 1],
  [4, 4],
  [5, 5],
])("a limit of %s attempts per call allows %s attempts", async (attemptsPerCall, attempts) => {
  const { ctx, plan, meter, served } = setting(
    ["a", "b", "c", "d", "e", "f"].map((id) => lexicalChannel({ id })),
  );
  const limits = { ...DEFAULT_LIMITS, attemptsPerCall };
  const own = { ...ctx, services: { ...ctx.services, instance: { ...ctx.services.instance, limits } } };
  const error = await failureOf(withFailover(own, plan, meter, failing("upstream_error")));
  expect(new Set(served).size).toBe(attempts);
  expect(served).toHaveLength(attempts);
  expect(error.details.shouldRetry).toBe(false);
});

test("total_ms limits an attempt from its start, even if the deadline is later", async () => {
  const { ctx, plan, meter } = setting([
    lexicalChannel({ id: "a", timeouts: { totalMs: 400 } }),
    lexicalChannel({ id: "b", priority: 1 }),
  ]);
  const work = withFailover(ctx, plan, meter, ({ channel }) =>
    channel.id === "a" ? new Promise<string>(() => {}) : Promise.resolve(channel.id),
  );
  await vi.advanceTimersByTimeAsync(400);
  expect(await work).toBe("b");
});

test("skips a channel at its own concurrency limit", async () => {
  const pair = [lexicalChannel({ id: "a", concurrency: 1 }), lexicalChannel({ id: "b", priority: 1 })];
  const { ctx, plan, meter, served } = setting(pair);
  let answer = (_value: string): void => {};
  const slow = withFailover(ctx, plan, meter, () => new Promise<string>((resolve) => (answer = resolve)));
  await withFailover(ctx, plan, meter, async () => "other");
  answer("done");
  await slow;
  await withFailover(ctx, plan, meter, async () => "free again");
  expect(served).toEqual(["a", "b", "a"]);
});

test("returns the wait of the channel's own rate limit, or the shorter wait of two channels", async () => {
  const limited = lexicalChannel({ id: "a", rpm: 2 });
  const { ctx, plan, meter } = setting([limited]);
  const answering = async () => "served";
  await withFailover(ctx, plan, meter, answering);
  await vi.advanceTimersByTimeAsync(10_000);
  await withFailover(ctx, plan, meter, answering);
  const refusal = await refusalOf(ctx.services, limited, plan.entry.model.name);
  expect(refusal?.waitMs).toBeGreaterThan(30_000);
  expect(await failureOf(withFailover(ctx, plan, meter, answering))).toMatchObject({
    code: "no_channel_available",
    details: { retryAfterMs: refusal?.waitMs },
  });
  const busy = lexicalChannel({ id: "b", concurrency: 1 });
  ctx.services.limiter.enter("channel:b", 1);
  const routes = [limited, busy].map((channel) => ({ channel, upstreamName: "m" }));
  const both = { ...plan, entry: { ...plan.entry, routes } };
  expect(await failureOf(withFailover(ctx, both, meter, answering))).toMatchObject({
    code: "no_channel_available",
    details: { retryAfterMs: 1_000 },
  });
});

test("skips a channel after five failures in a row until a probe after 30 s", async () => {
  const { ctx, plan, meter, served } = setting([
    lexicalChannel({ id: "a" }),
    lexicalChannel({ id: "b", priority: 1 }),
  ]);
  const onlyAFails: Parameters<typeof withFailover>[3] = async ({ channel }) => {
    if (channel.id === "a") throw new AppError("upstream_error", "It failed.");
    return "ok";
  };
  // Each call has its own caller.
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

test("returns 429 with the shortest wait while upstream rate limits have opened every circuit", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" }), lexicalChannel({ id: "b" })]);
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

test("returns 429 when an upstream's wait ends after no channel could be chosen", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" })]);
  const { circuits } = ctx.services.state;
  circuits
    .enter("a", null, plan.entry.model.name)
    .failed(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 20_000 }), new UpstreamProgress());
  const access = vi.spyOn(circuits, "access").mockImplementationOnce(() => {
    vi.advanceTimersByTime(20_000);
    return "refused";
  });
  const error = await failureOf(withFailover(ctx, plan, meter, async () => "not called"));
  expect(access.mock.results.map(({ value }) => value)).toEqual(["refused", "probe"]);
  expect(served).toEqual([]);
  expect(error).toMatchObject({ code: "upstream_rate_limited", details: { retryAfterMs: 1_000 } });
});

test("invalid replies of one model do not stop another model behind the same key", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" })]);
  const healthy = { ...plan, entry: { ...plan.entry, model: embedModel({ name: "healthy" }) } };
  for (let time = 0; time < 8; time++)
    await failureOf(withFailover(ctx, plan, meter, failing("upstream_invalid")));
  expect(served).toHaveLength(5);
  expect(await failureOf(withFailover(ctx, plan, meter, async () => "x"))).toMatchObject({
    code: "no_channel_available",
  });
  expect(await withFailover(ctx, healthy, meter, async () => "served")).toBe("served");
});

test("skips an upstream key that is refused and continues with the channel's other key", async () => {
  const keys = ["k1", "k2"].map((id) => ({ id, encrypted: id, display: id }));
  const { ctx, plan, meter } = setting([lexicalChannel({ id: "a", keys })]);
  const used: string[] = [];
  const answer = await withFailover(ctx, plan, meter, async ({ channel }) => {
    const [key, ...others] = channel.keys;
    expect(others).toEqual([]);
    used.push(key?.id ?? "");
    if (key?.id === "k1")
      throw new AppError("upstream_error", "No.", { upstreamStatus: 401, upstreamRefusal: "credentials" });
    return "ok";
  });
  expect(answer).toBe("ok");
  for (let call = 0; call < 3; call++)
    await withFailover(ctx, plan, meter, async ({ channel }) => used.push(channel.keys[0]?.id ?? ""));
  expect(used).toEqual(["k1", "k2", "k2", "k2", "k2"]);
});

test("another channel serves when an upstream key cannot be decrypted, and no circuit opens", async () => {
  const rig = createRig([]);
  const other = createCipher({ current: "another secret of the tests, long enough", previous: [] });
  const encrypted = other.encrypt("upstream-key", channelKeyAad("a", "k1"), "sk-1");
  const keys = [{ id: "k1", encrypted, display: "k1" }];
  const a = channelTo("openai", { origin: "http://127.0.0.1:9" }, { id: "a", keys });
  const { ctx, plan, meter } = setting([a, lexicalChannel({ id: "b" })]);
  const call = async ({ channel }: { channel: ChannelRecord }) =>
    channel.id === "b" ? "ok" : rig.embedding(channel).embed({ model: "m", texts: ["a"] }, callOptions());
  expect(await withFailover(ctx, plan, meter, call)).toBe("ok");
  const single = setting([a]);
  const error = await failureOf(withFailover(single.ctx, single.plan, single.meter, call));
  expect(error).toMatchObject({
    code: "upstream_error",
    message: "The channel's upstream key cannot be decrypted with this server's secrets.",
  });
  expect(single.ctx.services.state.circuits.health("a", "k1").state).toBe("closed");
  await rig.close();
});

test("invalid requests and busy engines do not open a circuit", async () => {
  const { ctx, plan, meter, served } = setting([lexicalChannel({ id: "a" })]);
  for (const code of ["invalid", "overloaded"] as const)
    for (let call = 0; call < 10; call++) await failureOf(withFailover(ctx, plan, meter, failing(code)));
  served.length = 0;
  await withFailover(ctx, plan, meter, async () => "fine");
  expect(served).toEqual(["a"]);
});

test("a failed request records each skipped channel with its reason", async () => {
  const channels = ["open", "busy", "tried", "spare"].map((id) =>
    lexicalChannel({ id, name: id, embedded: false, concurrency: id === "busy" ? 1 : null }),
  );
  const { ctx, plan, meter, skipped } = setting(channels);
  plan.entry.disabledChannels = [lexicalChannel({ id: "off" })];
  ctx.services.instance.limits = { ...DEFAULT_LIMITS, attemptsPerCall: 1 };
  const { circuits } = ctx.services.state;
  const { model } = plan.entry;
  for (let i = 0; i < 5; i++)
    circuits
      .enter("open", null, model.name)
      .failed(new AppError("upstream_invalid", "Broken."), new UpstreamProgress());
  ctx.services.limiter.enter("channel:busy", 1);
  const error = await failureOf(
    withFailover(ctx, plan, meter, async ({ channel }) => {
      throw new AppError("upstream_error", `${channel.id} failed.`);
    }),
  );
  expect(error.code).toBe("upstream_error");
  const reasons = new Map(skipped.map((one) => [one.channelId, one]));
  expect(reasons.get("open")).toEqual({
    channelId: "open",
    reason: "circuit",
    openedAt: expect.any(Number),
    openReason: "failures",
  });
  expect(reasons.get("busy")?.reason).toBe("concurrency");
  expect(reasons.get("off")?.reason).toBe("disabled");
  expect(reasons.get("spare")?.reason).toBe("attempts");
});
