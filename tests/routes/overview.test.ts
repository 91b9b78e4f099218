import { afterEach, beforeEach, expect, test } from "vitest";
import type { Overview } from "../../lib/contracts/console/overview";
import { AppError } from "../../lib/errors";
import { createDispatcher } from "../../lib/http/core/dispatch";
import { OVERVIEW_ROUTES } from "../../lib/http/routes/console/usage";
import type { UsageRecord } from "../../lib/ports/store";
import { UpstreamProgress } from "../../lib/ports/upstream-progress";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { chunked } from "../support/exchange";
import { expectDocumented } from "../support/expect-documented";
import { channelRecord, modelRecord, usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const now = () => services.clock.now();
const settle = (at: number, fields: Partial<UsageRecord> = {}, userId = "usr_1") =>
  services.store.ledger.settle(
    usageRecord("key_1", userId, { at, state: "settled", status: 200, ...fields }),
    {
      day: "2026-09-21",
      month: "2026-09",
    },
  );

async function read(
  cookie: string,
  fields: { from?: number; to?: number; interval?: string } = {},
): Promise<{ status: number; data: Overview }> {
  const handler = createDispatcher(OVERVIEW_ROUTES, async () => services);
  const sent = { method: "GET", path: "/api/overview" };
  const end = now() - (now() % HOUR) + HOUR;
  const query = new URLSearchParams({
    from: new Date(fields.from ?? end - 24 * HOUR).toISOString(),
    to: new Date(fields.to ?? end).toISOString(),
    interval: fields.interval ?? "hour",
  });
  const reply = await handler({
    ...sent,
    query: `${query}`,
    headers: new Map([["cookie", cookie]]),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "r",
    receivedAt: 0,
    signal: new AbortController().signal,
    onFinished: () => undefined,
    readBody: async () => new Uint8Array(0),
    streamBody: () => chunked(new Uint8Array(0)),
  });
  const text = Buffer.from(reply.body as Uint8Array).toString();
  expectDocumented(sent, { ...reply, text });
  return { status: reply.status, data: JSON.parse(text).data };
}

test("shows the keys of all playground sessions as one row", async () => {
  for (const keyId of ["play_first", "play_second", "key_1"]) await settle(now() - HOUR, { keyId });
  const { data } = await read(owner);
  expect(data.keys).toMatchObject([
    { id: "play", name: "Playground", calls: 2 },
    { id: "key_1", calls: 1 },
  ]);
});

test("compares with the previous range only when both ranges were read from their beginnings", async () => {
  const end = now() - (now() % HOUR);
  for (const at of [end - MINUTE, end - HOUR - MINUTE]) await settle(at);
  const range = { from: end - HOUR, to: end, interval: "minute" };
  expect((await read(owner, range)).data.before.calls).toBe(1);
  const { ledger } = services.store;
  const summarize = ledger.summarize.bind(ledger);
  for (const cut of [range.from, range.from - HOUR]) {
    ledger.summarize = async (query) => {
      const all = await summarize(query);
      return query.from === cut ? { ...all, readFrom: cut + MINUTE } : all;
    };
    const { data } = await read(owner, range);
    expect([data.total.calls, data.before.calls]).toEqual([1, 0]);
  }
});

test("returns totals and series, hours without calls as 0, and the previous period", async () => {
  await settle(now() - 2 * HOUR, { model: "a", audioMs: 500, latencyMs: 80 });
  await settle(now() - 2 * HOUR, { model: "a", status: 502, error: "upstream_error" });
  await settle(now() - 30 * HOUR, { model: "a" });
  const { data } = await read(owner);
  expect(data.total).toMatchObject({ calls: 2, errors: 1, audio_ms: 500 });
  expect(data.before).toMatchObject({ calls: 1, errors: 0 });
  expect(data.periods).toHaveLength(24);
  expect(data.series.calls).toHaveLength(24);
  expect(data.series.calls.filter((count) => count > 0)).toEqual([2]);
  expect(data.before_series.calls.filter((count) => count > 0)).toEqual([1]);
  expect(data.series.latency_p50_ms[0]).toBeNull();
});

test("compares a month with the days before it, across the start of daylight-saving time", async () => {
  services.instance.timeZone = "Europe/Berlin";
  const [from, to] = [Date.parse("2026-03-31T22:00:00Z"), Date.parse("2026-04-30T22:00:00Z")];
  services.clock.advance(to - now());
  for (const at of [from - HOUR, 2 * from - to]) await settle(at);
  const { data } = await read(owner, { from, to, interval: "day" });
  expect([data.periods.length, data.before.calls]).toEqual([30, 2]);
  expect([data.before_series.calls[0], data.before_series.calls.at(-1)]).toEqual([1, 1]);
});

test("compares the current hour with the same part of the previous one", async () => {
  const end = now() - (now() % HOUR) + HOUR;
  services.clock.advance(end - HOUR / 2 - now());
  for (let index = 0; index < 10; index++) await settle(end - HOUR / 2 - MINUTE - 24 * HOUR);
  const { data } = await read(owner, { from: end - 24 * HOUR, to: end });
  expect(data.before.calls).toBe(5);
});

test("counts the hour in which the range begins in the range only", async () => {
  const hour = now() - (now() % HOUR) - 10 * HOUR;
  for (const at of [hour - 3 * HOUR, hour, hour + 45 * MINUTE]) await settle(at);
  const { data } = await read(owner, { from: hour + HOUR / 2, to: hour + 2.5 * HOUR });
  expect(data.total.calls).toBe(2);
  expect(data.before.calls).toBe(1);
  expect(data.series.calls).toEqual([2, 0, 0]);
  expect(data.before_series.calls).toEqual([1, 0, 0]);
});

test("shows an hour by minutes, with percentiles of the calls themselves", async () => {
  const to = now() - (now() % MINUTE) + MINUTE;
  await settle(to - 5 * MINUTE + 1, { latencyMs: 80 });
  await settle(to - 5 * MINUTE + 2, { latencyMs: 90 });
  // These two are before the range, in an hour that is partly in the range.
  await settle(to - HOUR - 1);
  await settle(to - HOUR - 10 * MINUTE);
  const { data } = await read(owner, { from: to - HOUR, to, interval: "minute" });
  for (const shares of [data.keys, data.models.filter(({ calls }: { calls: number }) => calls > 0)])
    expect(shares).toMatchObject([{ calls: 2 }]);
  expect(data.periods).toHaveLength(60);
  expect(data.series.calls[55]).toBe(2);
  expect(data.series.latency_p95_ms[55], "not above the slowest call").toBe(90);
  expect(data.total).toMatchObject({ calls: 2, latency_p50_ms: 85 });
  expect((await read(owner, { from: to - 12 * HOUR, to, interval: "minute" })).status).toBe(400);
});

test("uses days in the instance's time zone", async () => {
  services.instance.timeZone = "Asia/Tokyo";
  const from = Date.parse("2026-09-18T15:00:00Z");
  await settle(Date.parse("2026-09-20T14:30:00Z"));
  await settle(Date.parse("2026-09-20T15:30:00Z"));
  const { data } = await read(owner, { from, to: from + 72 * HOUR, interval: "day" });
  expect(data.periods).toEqual(["2026-09-19", "2026-09-20", "2026-09-21"]);
  expect(data.series.calls).toEqual([0, 1, 1]);
});

test("lists configured and called routes, and channels with their health", async () => {
  const channel = channelRecord({ keys: [], models: [{ name: "tts", upstreamName: "x" }] });
  await services.store.transaction(async (tx) => {
    await tx.channels.insert(channel);
    await tx.models.insert(modelRecord({ name: "tts" }));
  });
  await settle(now() - HOUR, { model: "gone", channelId: "chn_gone", error: "upstream_error", status: 502 });
  await settle(now() - HOUR, { model: "gone", channelId: null, error: "no_channel", status: 503 });
  const refused = new AppError("upstream_error", "no", {
    upstreamStatus: 401,
    upstreamRefusal: "credentials",
  });
  services.state.circuits.enter(channel.id, null, "tts").failed(refused, new UpstreamProgress());
  const { data } = await read(owner);
  expect(data.routes).toContainEqual({
    model: "gone",
    channel_id: "chn_gone",
    calls: 1,
    errors: 1,
    failovers: 0,
  });
  expect(data.models[0]).toMatchObject({ name: "gone", calls: 2, errors: 2, operation: null });
  expect(data.channels.find((one) => one.id === "chn_gone")).toMatchObject({ name: null, health: null });
  expect(data.channels.find((one) => one.id === channel.id)?.health).toMatchObject({
    state: "open",
    reason: "credentials",
  });
  expect(data.routes).toContainEqual({
    model: "tts",
    channel_id: channel.id,
    calls: 0,
    errors: 0,
    failovers: 0,
  });
});

test("lists the ten busiest models and channels, and further channels with an incident", async () => {
  const channels = Array.from({ length: 15 }, (_, index) =>
    channelRecord({
      id: `chn_${10 + index}`,
      name: `Channel ${index}`,
      keys: [],
      enabled: index !== 3,
      models: [{ name: `model-${index % 12}`, upstreamName: "x" }],
    }),
  );
  await services.store.transaction(async (tx) => {
    for (const channel of channels) await tx.channels.insert(channel);
    for (let index = 0; index < 12; index++) await tx.models.insert(modelRecord({ name: `model-${index}` }));
  });
  const refused = new AppError("upstream_error", "no", {
    upstreamStatus: 401,
    upstreamRefusal: "credentials",
  });
  services.state.circuits.enter("chn_23", null, "model-1").failed(refused, new UpstreamProgress());
  await settle(now() - HOUR, { model: "model-11", channelId: "chn_24" });
  const { data } = await read(owner);
  expect(data.models).toHaveLength(10);
  expect(data.models[0]).toMatchObject({ name: "model-11", calls: 1, served: true });
  const { served } = data.models.find(({ name }) => name === "model-3") ?? {};
  expect(served, "a disabled channel, and one beyond the listed ones").toBe(false);
  const listed = data.channels.map(({ id }) => id);
  expect(listed).toHaveLength(11);
  expect([listed[0], listed.at(-1), listed.includes("chn_13")]).toEqual(["chn_24", "chn_23", false]);
  const names = data.models.map(({ name }) => name);
  for (const { model, channel_id } of data.routes)
    expect([names.includes(model), listed.includes(channel_id)]).toEqual([true, true]);
  expect(data.routes).toContainEqual({
    model: "model-11",
    channel_id: "chn_24",
    calls: 1,
    errors: 0,
    failovers: 0,
  });
});

test("counts cached and unrouted calls separately and failovers by route, and names called models without a price", async () => {
  const embedded = channelRecord({ id: "chn_in", name: "In", embedded: true, models: [] });
  const upstream = channelRecord({ id: "chn_up", name: "Up", models: [] });
  const down = channelRecord({ id: "chn_down", name: "Down", models: [], enabled: false });
  await services.store.transaction(async (tx) => {
    await tx.channels.insert(embedded);
    await tx.channels.insert(down);
    await tx.channels.insert(upstream);
  });
  const at = now() - HOUR;
  await settle(at, { model: "free", channelId: "chn_in" });
  await settle(at, { model: "open", channelId: "chn_up" });
  await settle(at, { model: "sold", channelId: "chn_up", costNano: 5 });
  await settle(at, { model: "open", channelId: null, cached: true, attempts: 0 });
  await settle(at, {
    model: "open",
    channelId: null,
    error: "no_channel_available",
    status: 503,
    attempts: 0,
  });
  // An entry as another server settles it after the call's own server has ended.
  const reserved = { costNano: 20_000_000, error: "internal", status: 0, attempts: 0 } as const;
  await settle(at, { model: "open", channelId: null, ...reserved });
  const attempt = (channelId: string, error: string | null) => ({
    channelId,
    keyId: null,
    startedMs: 0,
    firstByteMs: null,
    endedMs: 1,
    error,
    upstreamStatus: null,
    message: null,
  });
  const attempts = [attempt("chn_down", "upstream_error"), attempt("chn_up", null)];
  const trace = { admittedMs: 0, settledMs: 2, attempts };
  await settle(at, { model: "open", channelId: "chn_up", attempts: 2, trace });
  const { data } = await read(owner);
  expect(data.cached).toMatchObject({ calls: 1, errors: 0, cost_usd: "0.000000000" });
  expect(data.not_routed).toMatchObject({ calls: 2, errors: 2, cost_usd: "0.020000000" });
  expect(data.unpriced_models).toEqual(["open"]);
  expect(data.routes).toContainEqual({
    model: "open",
    channel_id: "chn_down",
    calls: 0,
    errors: 0,
    failovers: 1,
  });
  expect(data.channels.find(({ id }) => id === "chn_down")).toMatchObject({ calls: 0, failovers: 1 });
  expect(data.routes).toContainEqual({
    model: "open",
    channel_id: "chn_up",
    calls: 2,
    errors: 0,
    failovers: 0,
  });
  const byChannel = data.channels.reduce((sum, one) => sum + one.calls, 0);
  expect(byChannel + data.cached.calls + data.not_routed.calls).toBe(data.total.calls);
});

test("shows members their own calls and no channels, and answers 401 to anonymous callers", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  await settle(now() - HOUR, { channelId: "chn_1", model: "a" }, mia.id);
  await settle(now() - HOUR, { channelId: "chn_1", model: "b" }, "usr_other");
  const { data } = await read(mia.cookie);
  expect(data.total.calls).toBe(1);
  expect(data.models.map((model) => model.name)).toEqual(["a"]);
  expect(data.keys).toMatchObject([{ id: "key_1", calls: 1 }]);
  expect([data.channels, data.routes]).toEqual([[], []]);
  expect((await read("")).status).toBe(401);
});
