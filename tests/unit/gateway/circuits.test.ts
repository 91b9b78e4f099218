import { expect, test } from "vitest";
import { AppError, type ErrorCode, type ErrorDetails, type UpstreamRefusal } from "@/lib/errors";
import { accessOf, chooseKey, withKey } from "@/lib/gateway/routing/choose-upstream-key";
import { brokenModels, channelHealth, keyHealth, modelHealth } from "@/lib/gateway/routing/circuit-health";
import { Circuits } from "@/lib/gateway/routing/circuits";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { FakeClock, lexicalChannel } from "../../support/factories";

/** The progress of an attempt whose upstream answered, or did not. */
function progressOf(hasHead: boolean, batch: UpstreamProgress | null = null): UpstreamProgress {
  const progress = new UpstreamProgress();
  progress.hasHead = hasHead;
  progress.batch = batch;
  return progress;
}

function open(clock = new FakeClock()) {
  const changes: string[] = [];
  const circuits = new Circuits(clock, ({ channelId, keyId, model }, { state }) =>
    changes.push(`${[channelId, keyId, model].filter((part) => part !== null).join("/")} ${state}`),
  );
  /** A request over channel `a` without keys; null: it succeeds. */
  const request = (error: AppError | null, model = "m", hasHead = true) => {
    const permit = circuits.enter("a", null, model);
    if (error === null) permit.succeeded(progressOf(true));
    else permit.failed(error, progressOf(hasHead));
  };
  const access = (model = "m") => circuits.access("a", null, model);
  return { clock, circuits, changes, request, access };
}

const answered = (status = 500) => new AppError("upstream_error", "It failed.", { upstreamStatus: status });
/** The upstream refused the key or its account. */
const refused = (upstreamStatus: number, upstreamRefusal: UpstreamRefusal = "credentials") =>
  new AppError("upstream_error", "It failed.", { upstreamStatus, upstreamRefusal });
const unreachable = () => new AppError("upstream_error", "It could not be reached.");
const times = (count: number, act: () => void) => {
  for (let time = 0; time < count; time += 1) act();
};

test("opens a circuit when half of twenty requests fail without five failures in a row", () => {
  const { circuits, request, access } = open();
  for (let number = 0; number < 20; number++) {
    expect(access()).toBe("closed");
    request(number % 2 === 1 ? answered() : null);
  }
  expect(circuits.health("a", null, "m")).toMatchObject({
    state: "open",
    reason: "error_rate",
    waitMs: 30_000,
  });
});

test("ignores failures of an earlier 10 s window", () => {
  const { request, access, clock } = open();
  for (let number = 0; number < 36; number++) {
    request(number % 2 === 1 ? answered() : null);
    clock.at += 1_000;
  }
  expect(access()).toBe("closed");
});

test("a half-open circuit admits one probe, whose first byte closes it", () => {
  const { circuits, clock, changes, request, access } = open();
  times(5, () => request(answered()));
  clock.at += 29_999;
  expect(access()).toBe("refused");
  clock.at += 1;
  expect(access()).toBe("probe");
  expect(circuits.health("a", null, "m").state).toBe("half_open");
  const probe = circuits.enter("a", null, "m");
  expect(access()).toBe("refused");
  probe.answered();
  expect(access()).toBe("closed");
  expect(changes).toEqual(["a/m open", "a/m closed"]);
});

test("failures of requests that began before a circuit opened do not count after a probe closed it", () => {
  const { circuits, clock, request, access } = open();
  const late = Array.from({ length: 4 }, () => circuits.enter("a", null, "m"));
  times(5, () => request(answered()));
  for (const permit of late) permit.failed(answered(), progressOf(true));
  clock.at += 30_000;
  circuits.enter("a", null, "m").answered();
  times(4, () => request(answered()));
  expect(access()).toBe("closed");
  request(answered());
  expect(access()).toBe("refused");
});

test("the end of an answered probe's stream does not close a circuit that opened since", () => {
  const { circuits, clock, request, access } = open();
  const halfOpen = () => {
    times(5, () => request(answered()));
    clock.at += 30_000;
  };
  halfOpen();
  const probe = circuits.enter("a", null, "m");
  probe.answered();
  halfOpen();
  expect(access()).toBe("probe");
  const next = circuits.enter("a", null, "m");
  probe.succeeded(progressOf(true));
  expect(access()).toBe("refused");
  next.answered();
  expect(access()).toBe("closed");
});

test("a probe that breaks after its first byte opens its circuit again", () => {
  const { circuits, clock, request, access } = open();
  times(5, () => request(answered()));
  clock.at += 30_000;
  const probe = circuits.enter("a", null, "m");
  probe.answered();
  expect(access()).toBe("closed");
  probe.failed(answered(), progressOf(true));
  expect(access()).toBe("refused");
});

test("a probe whose caller left lets the next request be the probe", () => {
  const { circuits, clock, request, access } = open();
  times(5, () => request(answered()));
  clock.at += 30_000;
  circuits.enter("a", null, "m").endedWithoutResult();
  expect(access()).toBe("probe");
  request(answered());
  expect(circuits.health("a", null, "m").waitMs).toBe(30_000);
});

test("a first byte that arrives after its probe failed does not close the circuit", () => {
  const { circuits, clock, request, access } = open();
  times(5, () => request(answered()));
  clock.at += 30_000;
  const probe = circuits.enter("a", null, "m");
  probe.failed(answered(), progressOf(true));
  probe.answered();
  expect(access()).toBe("refused");
});

test("an attempt that reports its failure twice is one failure", () => {
  const { circuits, access } = open();
  times(3, () => {
    const permit = circuits.enter("a", null, "m");
    times(2, () => permit.failed(answered(), progressOf(true)));
  });
  expect(access()).toBe("closed");
});

test("a probe is claimed from the other instances and released at its end; without the claim it waits", async () => {
  const { circuits, clock, request, access } = open();
  times(5, () => request(answered()));
  clock.at += 30_000;
  const key = { channelId: "a", keyId: null, model: "m" };
  const released: unknown[] = [];
  let isFree = false;
  circuits.share({
    changed: () => undefined,
    claimProbe: async (keys) => isFree && keys.length === 1,
    releaseProbe: (one) => void released.push(one),
  });
  expect(await circuits.claimProbe("a", null, "m")).toBe(false);
  expect(access()).toBe("refused");
  clock.at += 250;
  expect(access()).toBe("probe");
  isFree = true;
  expect(await circuits.claimProbe("a", null, "m")).toBe(true);
  expect(access()).toBe("probe");
  circuits.enter("a", null, "m").endedWithoutResult();
  expect(released).toEqual([key]);
});

test.each([
  [undefined, 1_000],
  [0, 1_000],
  [45_000, 45_000],
  [1e12, 120_000],
])("a rate limit with Retry-After %s ms opens the model's circuit for %s ms", (retryAfterMs, waitMs) => {
  const { circuits, request, access } = open();
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  request(new AppError("upstream_rate_limited", "Full.", details));
  expect(circuits.health("a", null, "m")).toMatchObject({ reason: "rate_limited", waitMs });
  expect(access("other")).toBe("closed");
});

test.each<[number, UpstreamRefusal]>([
  [401, "credentials"],
  [400, "credentials"],
  [402, "account"],
  [403, "account"],
  [429, "account"],
])("a %s about the %s opens the key's circuit immediately, with that reason", (upstreamStatus, reason) => {
  const { circuits, request, access } = open();
  request(refused(upstreamStatus, reason));
  expect(circuits.health("a", null)).toMatchObject({ state: "open", reason });
  expect(access("other")).toBe("refused");
});

test("five replies of 403 in a row open the key's circuit; four from one model do not", () => {
  const { circuits, request, access } = open();
  times(4, () => request(refused(403)));
  expect(access("other")).toBe("closed");
  request(null, "other");
  times(5, () => request(refused(403)));
  expect(circuits.health("a", null)).toMatchObject({ state: "open", reason: "credentials" });
  expect(access("other")).toBe("refused");
});

test("five failures in a row that are not all 403 open the key's circuit with the reason `failures`", () => {
  const { circuits, request } = open();
  times(4, () => request(unreachable(), "m", false));
  request(refused(403));
  expect(circuits.health("a", null)).toMatchObject({ state: "open", reason: "failures" });
});

test("a probe that fails for another reason replaces the reason `rate_limited`", () => {
  const { circuits, clock, request } = open();
  request(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 1_000 }));
  clock.at += 1_000;
  const openedAt = clock.now();
  request(answered());
  expect(circuits.health("a", null, "m")).toMatchObject({ state: "open", reason: "failures", openedAt });
});

test.each([
  [599_999, "continues the outage"],
  [600_000, "is a new outage"],
])("a rate limit that is met again %i ms after the last one ended %s", (idleMs, title) => {
  const { circuits, clock, request } = open();
  const first = clock.now();
  const limit = () => request(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 1_000 }));
  limit();
  clock.at += 1_000 + idleMs;
  limit();
  const openedAt = title === "is a new outage" ? clock.now() : first;
  expect(circuits.health("a", null, "m")).toMatchObject({ state: "open", reason: "rate_limited", openedAt });
});

test("a circuit of another instance keeps the time since its probe was allowed", () => {
  const { circuits, clock } = open();
  const health = {
    state: "half_open",
    openedAt: 1,
    openMs: 0,
    reason: "rate_limited",
    waitMs: 0,
    idleMs: 9_000,
  } as const;
  circuits.apply({ channelId: "a", keyId: null, model: "m" }, health);
  clock.at += 1_000;
  expect(circuits.health("a", null, "m")).toMatchObject({ state: "half_open", idleMs: 10_000 });
});

test("a circuit's age does not depend on a wall clock that is set back", () => {
  const clock = new FakeClock();
  let monotonic = 0;
  clock.monotonic = () => monotonic;
  const { circuits, request } = open(clock);
  request(refused(401));
  clock.advance(-3_600_000);
  monotonic += 130_000;
  const health = circuits.health("a", null);
  expect(health.openMs).toBe(130_000);
  // Another instance publishes the same outage with an age of 0, because its clock shows a time before the outage.
  circuits.apply({ channelId: "a", keyId: null, model: null }, { ...health, openMs: 0 });
  expect(circuits.health("a", null).openMs).toBe(130_000);
});

test("a state from another instance starts the count of requests again", () => {
  const { circuits, request, access } = open();
  const health = { state: "closed", openedAt: null, openMs: 0, reason: null, waitMs: 0, idleMs: 0 } as const;
  const alternate = (requests: number) => {
    for (let number = 1; number <= requests; number++) request(number % 2 === 1 ? answered() : null);
  };
  alternate(19);
  circuits.apply({ channelId: "a", keyId: null, model: "m" }, health);
  alternate(19);
  expect(access()).toBe("closed");
  request(null);
  request(answered());
  expect(access()).toBe("refused");
});

test("health says how long a half-open circuit has waited for its probe", () => {
  const { circuits, clock, request } = open();
  request(refused(401));
  expect(circuits.health("a", null)).toMatchObject({ state: "open", waitMs: 30_000, idleMs: 0 });
  clock.at += 42_000;
  expect(circuits.health("a", null)).toMatchObject({ state: "half_open", waitMs: 0, idleMs: 12_000 });
});

const OF_MODEL: readonly [string, ErrorCode, ErrorDetails][] = [
  ["a 500", "upstream_error", { upstreamStatus: 500 }],
  ["a 504", "upstream_timeout", { upstreamStatus: 504 }],
  ["an invalid reply", "upstream_invalid", {}],
  ["a cut reply", "upstream_truncated", {}],
  ["a redirect", "upstream_redirect", {}],
  ["a stalled reply", "upstream_timeout", {}],
  ["an unknown model", "invalid", { upstreamStatus: 404, isUnknownModel: true }],
];

test.each(OF_MODEL)(
  "%s, five times in a row, opens the circuit of the model and of no other behind the key",
  (_name, code, details) => {
    const { circuits, request, access, changes } = open();
    times(5, () => request(new AppError(code, "No.", details)));
    expect([access("m"), access("other")]).toEqual(["refused", "closed"]);
    expect(circuits.health("a", null).state).toBe("closed");
    expect(changes).toEqual(["a/m open"]);
  },
);

test.each<[string, ErrorCode]>([
  ["unreachable", "upstream_error"],
  ["silent", "upstream_timeout"],
])("an upstream that is %s five times in a row opens the circuit of the key", (_name, code) => {
  const { request, access, changes } = open();
  for (const model of ["m", "n", "m", "n", "m"]) request(new AppError(code, "No."), model, false);
  expect([access("m"), access("other")]).toEqual(["refused", "refused"]);
  expect(changes).toEqual(["a open"]);
});

test("five large requests whose head is late open the circuit of the model, not of the key", () => {
  const { circuits, access } = open();
  times(5, () => {
    const progress = progressOf(false);
    progress.isLarge = true;
    circuits.enter("a", null, "m").failed(new AppError("upstream_timeout", "Late."), progress);
  });
  expect([access("m"), access("other")]).toEqual(["refused", "closed"]);
});

test.each([
  ["late opens the circuit of the model", "upstream_timeout", ["refused", "closed"]],
  ["unreachable opens the circuit of the key", "upstream_error", ["refused", "refused"]],
] as const)("an upstream that has replied to a batch and then is %s", (_name, code, expected) => {
  const { circuits, access } = open();
  times(5, () => {
    const progress = progressOf(false);
    progress.hasRepliedBefore = true;
    circuits.enter("a", null, "m").failed(new AppError(code, "No."), progress);
  });
  expect([access("m"), access("other")]).toEqual(expected);
});

test("an error reply to a probe closes the key's circuit and leaves the model's open", () => {
  const { clock, circuits, request, access } = open();
  times(4, () => request(unreachable(), "m", false));
  request(answered());
  times(4, () => request(unreachable(), "m", false));
  expect(circuits.health("a", null).state).toBe("closed");
  request(unreachable(), "m", false);
  clock.at += 30_000;
  request(answered(), "bad");
  expect([circuits.health("a", null).state, access("m")]).toEqual(["closed", "closed"]);
});

test("counts a batch as one failure or one success, regardless of its number of callers", () => {
  const { circuits, access } = open();
  const batchOf = (error: AppError | null) => {
    const batch = progressOf(true);
    const permits = Array.from({ length: 64 }, () => circuits.enter("a", null, "m"));
    for (const permit of permits) {
      if (error === null) permit.succeeded(progressOf(false, batch));
      // Each caller has its own error, as with a timeout.
      else permit.failed(new AppError(error.code, error.message, error.details), progressOf(false, batch));
    }
  };
  times(4, () => batchOf(answered()));
  expect(access()).toBe("closed");
  batchOf(answered());
  expect(access()).toBe("refused");
  circuits.close("a");
  times(10, () => {
    batchOf(null);
    batchOf(new AppError("upstream_timeout", "Too slow."));
  });
  expect(access()).toBe("refused");
});

const channel = {
  id: "c",
  keys: ["k1", "k2"].map((id) => ({ id, encrypted: "", display: "" })),
  models: ["m", "n"].map((name) => ({ name, upstreamName: name })),
};

test("a channel admits a request as its best key does", () => {
  const { circuits, clock } = open();
  const fail = (keyId: string) => circuits.enter("c", keyId, "m").failed(refused(401), progressOf(true));
  const channelOf = (keys: typeof channel.keys) => lexicalChannel({ id: "c", keys });
  const [first, second] = channel.keys;
  if (first === undefined || second === undefined) throw new Error("the channel has two keys");
  const admissions = () =>
    [
      [first, second],
      [second, first],
    ].map((keys) => accessOf(circuits, channelOf(keys), "m"));
  expect(admissions()).toEqual(["closed", "closed"]);
  fail("k1");
  expect(admissions()).toEqual(["closed", "closed"]);
  clock.at += 15_000;
  fail("k2");
  expect(admissions()).toEqual(["refused", "refused"]);
  clock.at += 15_000;
  expect(admissions()).toEqual(["probe", "probe"]);
});

test("a half-open key is probed by a first attempt, and by others only while no key is closed", () => {
  const { circuits, clock } = open();
  const both = lexicalChannel({ id: "c", keys: channel.keys });
  const fail = (keyId: string) => circuits.enter("c", keyId, "m").failed(refused(401), progressOf(true));
  const random = { bytes: () => new Uint8Array(), fraction: () => 0 };
  const chosen = () => [true, false].map((mayProbe) => chooseKey(both, "m", circuits, random, mayProbe)?.id);
  expect(chosen()).toEqual(["k1", "k1"]);
  fail("k1");
  expect(chosen()).toEqual(["k2", "k2"]);
  clock.at += 30_000;
  expect(chosen()).toEqual(["k1", "k2"]);
  fail("k2");
  expect(chosen()).toEqual(["k1", "k1"]);
});

test("withKey returns the same record for each call, because providers cache compiled data by record", () => {
  const [first = null, second = null] = channel.keys;
  const both = lexicalChannel({ keys: channel.keys });
  expect(withKey(both, first)).toMatchObject({ id: both.id, keys: [first] });
  expect(withKey(both, first)).toBe(withKey(both, first));
  expect(withKey(both, second).keys).toEqual([second]);
  const changed = { ...both, weight: 7 };
  expect(withKey(changed, first)).toEqual({ ...changed, keys: [first] });
  const one = lexicalChannel({ keys: channel.keys.slice(0, 1) });
  expect([withKey(one, first), withKey(both, null)]).toEqual([one, both]);
  expect(withKey(one, first)).toBe(one);
});

test("a channel has the health of its best key", () => {
  const { circuits } = open();
  const fail = (keyId: string, error: AppError) =>
    circuits.enter("c", keyId, "m").failed(error, progressOf(true));
  fail("k1", refused(401));
  expect(channelHealth(circuits, channel).state).toBe("closed");
  expect(keyHealth(circuits, channel, "k1")).toMatchObject({ state: "open", reason: "credentials" });
  fail("k2", refused(402, "account"));
  expect(channelHealth(circuits, channel)).toMatchObject({ state: "open" });
  circuits.close("c", { keyId: "k1" });
  expect(channelHealth(circuits, channel).state).toBe("closed");
  expect(keyHealth(circuits, channel, "k2").reason).toBe("account");
});

test("a channel with one broken model stays closed and names it; with every model broken it is open", () => {
  const { circuits } = open();
  const limit = (keyId: string, model: string, retryAfterMs: number) =>
    circuits
      .enter("c", keyId, model)
      .failed(new AppError("upstream_rate_limited", "Full.", { retryAfterMs }), progressOf(true));
  limit("k1", "m", 5_000);
  // The other key serves the model.
  expect(brokenModels(circuits, channel)).toEqual([]);
  limit("k2", "m", 9_000);
  expect(channelHealth(circuits, channel).state).toBe("closed");
  expect(brokenModels(circuits, channel)).toMatchObject([
    { name: "m", health: { state: "open", reason: "rate_limited", waitMs: 5_000 } },
  ]);
  expect(keyHealth(circuits, channel, "k1").state).toBe("closed");
  limit("k1", "n", 7_000);
  limit("k2", "n", 8_000);
  expect(channelHealth(circuits, channel)).toMatchObject({ state: "open", waitMs: 5_000 });
  expect(keyHealth(circuits, channel, "k2")).toMatchObject({ state: "open", waitMs: 8_000 });
});

test("an attempt that began before an operator closed the circuit does not change the circuit", () => {
  const { circuits, changes, access } = open();
  const shared: string[] = [];
  circuits.share({
    changed: (_key, { state }) => void shared.push(state),
    claimProbe: async () => true,
    releaseProbe: () => undefined,
  });
  const [ofModel, ofKey] = [circuits.enter("a", null, "m"), circuits.enter("a", null, "m")];
  circuits.close("a");
  ofModel.failed(new AppError("upstream_rate_limited", "Full."), progressOf(true));
  ofKey.failed(refused(401), progressOf(true));
  expect([access(), changes, shared]).toEqual(["closed", [], []]);
});

test("closing a channel closes both levels; closing one model leaves the others open", () => {
  const { circuits, request, access } = open();
  const limited = () => new AppError("upstream_rate_limited", "Full.");
  request(limited(), "m");
  request(limited(), "n");
  request(refused(401), "m");
  circuits.close("a", { model: "m" });
  expect([access("m"), access("n")]).toEqual(["closed", "refused"]);
  circuits.close("a");
  expect(access("n")).toBe("closed");
  expect(modelHealth(circuits, { id: "a", keys: [] }, "n").state).toBe("closed");
});
