import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sweepUsage } from "../../lib/console/usage/sweep";
import { DEFAULT_LIMITS } from "../../lib/contracts/limits";
import { AppError } from "../../lib/errors";
import type { RejectionRecord, UsageRecord } from "../../lib/ports/store";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { embedModel, usageRecord } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";
import { type TestServices, testServices } from "../support/services";

const PATH = "/v1/embeddings";
const BODY = { model: "patchbay-embed", input: "a" };
const NO_BUDGET = { totalNano: null, dailyNano: null, monthlyNano: null };

/** What the gateway counted, by key, model, error and limit, over all minutes. */
async function countedBy(harness: ReturnType<typeof openGatewayHarness>) {
  await harness.services.state.rejections.flush();
  const calls = new Map<string, number>();
  for (const one of harness.rejections) {
    const group = `${one.keyId} ${one.model} ${one.error} ${one.limit}`;
    calls.set(group, (calls.get(group) ?? 0) + one.calls);
  }
  return [...calls].map(([group, count]) => `${count} ${group}`).sort();
}

const pricedModel = embedModel({
  name: "paid",
  aliases: [],
  prices: {
    inputPerMillionTokens: 1_000_000,
    inputPerMillionCharacters: null,
    outputPerMillionTokens: null,
    outputPerMillionSeconds: null,
  },
});

test("counts each kind of refused request exactly, and no request with a ledger entry", async () => {
  const harness = openGatewayHarness({ models: [embedModel(), pricedModel], fullBudget: "user" });
  const counted = vi.spyOn(harness.services.metrics, "countRejection");
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const times = async (count: number, run: () => Promise<{ status: number }>, status: number) => {
    for (let i = 0; i < count; i++) expect((await run()).status).toBe(status);
  };
  const key = (fields: object) => bearer(harness.addKey(fields));
  const slow = key({ id: "key_slow", rpm: 1 });
  await times(1, () => harness.call(PATH, { body: BODY, ...slow }), 200);
  await times(3, () => harness.call(PATH, { body: BODY, ...slow }), 429);
  const short = key({ id: "key_short", tpm: 1 });
  await times(2, () => harness.call(PATH, { body: { ...BODY, input: "a b c d" }, ...short }), 429);
  const poor = key({ id: "key_poor", budget: { ...NO_BUDGET, totalNano: 0 } });
  await times(4, () => harness.call(PATH, { body: BODY, ...poor }), 429);
  const own = bearer(harness.key);
  await times(5, () => harness.call(PATH, { body: { ...BODY, model: "paid" }, ...own }), 429);
  await times(6, () => harness.call(PATH, { body: { ...BODY, model: "nothing" }, ...own }), 404);
  await times(7, () => harness.call(PATH, { body: { ...BODY, input: 5 }, ...own }), 400);
  await times(8, () => harness.call(PATH, { body: BODY, ...bearer("sk-pb-wrong") }), 401);
  const expired = key({ id: "key_old", expiresAt: 1 });
  await times(9, () => harness.call(PATH, { body: BODY, ...expired }), 401);
  const tied = key({ id: "key_tied", allowedAddresses: ["10.0.0.1"] });
  await times(2, () => harness.call(PATH, { body: BODY, ...tied }), 403);
  const narrow = key({ id: "key_narrow", allowedModels: ["other"] });
  await times(3, () => harness.call(PATH, { body: BODY, ...narrow }), 403);
  await times(2, () => harness.call("/v1/nothing", own), 404);
  await times(1, () => harness.call("/v1/models/unknown-one", own), 404);
  expect(await countedBy(harness)).toEqual(
    [
      "3 key_slow null rate_limited key_rpm",
      "2 key_short patchbay-embed rate_limited key_tpm",
      "4 key_poor patchbay-embed insufficient_quota key_budget",
      "5 key_1 paid insufficient_quota user_budget",
      "6 key_1 nothing model_not_found null",
      "7 key_1 patchbay-embed invalid null",
      "8 null null unauthenticated null",
      "9 key_old null unauthenticated null",
      "2 key_tied null ip_not_allowed null",
      "3 key_narrow patchbay-embed model_not_allowed null",
      "2 null null unknown_url null",
      "1 key_1 unknown-one model_not_found null",
    ].sort(),
  );
  expect(counted).toHaveBeenCalledTimes(harness.rejections.reduce((sum, { calls }) => sum + calls, 0));
  expect(counted).toHaveBeenCalledWith("openai", "insufficient_quota");
  const limited = harness.rejections.find((one) => one.limit === "key_rpm");
  expect(limited).toMatchObject({
    userId: "usr_1",
    requestId: "req-1",
    status: 429,
    retryAfterS: 60,
    message: "This key is limited to 1 request per minute. Try again in 60 s.",
    address: "127.0.0.1",
  });
  expect(harness.rejections.find((one) => one.limit === "user_budget")?.message).toBe(
    "The daily budget of this key's owner does not cover the cost of this request. It resets at the start of the next day. An administrator can raise it.",
  );
  expect(harness.rows.map((row) => row.status)).toEqual([200]);
});

test.each([
  ["fails", 500, new Error("broken")],
  ["refuses the input", 400, new AppError("invalid", "Too long.", { upstreamStatus: 400 })],
])("a call whose channel %s is not counted as rejected", async (_title, status, error) => {
  const harness = openGatewayHarness({ engine: () => ({ embed: () => Promise.reject(error) }) });
  expect((await harness.call(PATH, { body: BODY })).status).toBe(status);
  expect(harness.rows).toHaveLength(1);
  expect(await countedBy(harness)).toEqual([]);
});

test("a call that the store refuses is counted in the metric only", async () => {
  const harness = openGatewayHarness({ models: [pricedModel] });
  const counted = vi.spyOn(harness.services.metrics, "countRejection");
  vi.spyOn(harness.services.store.ledger, "reserve").mockRejectedValue(
    new AppError("storage_unavailable", "The store is unavailable."),
  );
  expect((await harness.call(PATH, { body: { ...BODY, model: "paid" } })).status).toBe(503);
  expect(counted.mock.calls).toEqual([["openai", "storage_unavailable"]]);
  expect(await countedBy(harness)).toEqual([]);
});

test.each([
  [{}, "this model has 1024"],
  [{ dimensions: 512 }, "512 were requested"],
])("an error about the length of a vector, with %j, names the expected length", async (fields, expected) => {
  const vectors = [new Float32Array(8)];
  const harness = openGatewayHarness({
    engine: () => ({ embed: async () => ({ vectors, inputTokens: 1 }) }),
  });
  const reply = await harness.call(PATH, { body: { ...BODY, ...fields } });
  expect([reply.status, reply.json.error.message]).toEqual([
    502,
    `The channel returned a vector of 8 numbers where ${expected}.`,
  ]);
});

test("malformed model names count in one group, and wrong keys of one address in one group per error", async () => {
  const harness = openGatewayHarness();
  harness.services.instance.limits = { ...DEFAULT_LIMITS, wrongKeysPerMinute: 2 };
  for (const model of ["<b>", "a b", ""]) await harness.call(PATH, { body: { ...BODY, model } });
  for (let i = 0; i < 5; i++)
    await harness.call(PATH, { body: BODY, headers: { authorization: `Bearer wrong-${i}` } });
  expect(await countedBy(harness)).toEqual([
    "2 null null unauthenticated null",
    "3 key_1 null invalid null",
    "3 null null rate_limited wrong_keys",
  ]);
});

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

function record(fields: Partial<RejectionRecord> = {}): RejectionRecord {
  const at = services.clock.now();
  return {
    minute: at - (at % 60_000),
    keyId: "key_1",
    userId: "usr_1",
    model: null,
    error: "rate_limited",
    limit: "key_rpm",
    calls: 1,
    at,
    requestId: "req_1",
    status: 429,
    message: "This key is limited to 60 requests per minute. Try again in 12 s.",
    retryAfterS: 12,
    address: "10.0.0.7",
    ...fields,
  };
}

test("lists rejected requests with names; members see those of their own keys only", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const made = await harness("/api/keys", { body: { name: "Radio" }, cookie: mia.cookie });
  const key = made.json.data;
  expect(key.last_rejected).toBeNull();
  await services.store.rejections.add([
    record({ keyId: key.id, userId: mia.id, calls: 7 }),
    record({
      keyId: "key_gone",
      userId: "usr_other",
      calls: 2,
      error: "forbidden",
      limit: null,
      status: 403,
    }),
    record({ keyId: null, userId: null, calls: 30, error: "unauthenticated", limit: null, status: 401 }),
  ]);
  const list = async (query: string, cookie: string) =>
    (await harness(`/api/usage/rejected${query}`, { cookie })).json.data.items;
  expect((await list("", owner)).map((one: { calls: number }) => one.calls).sort()).toEqual([2, 30, 7]);
  const own = await list("", mia.cookie);
  const now = new Date(services.clock.now()).toISOString();
  expect(own).toEqual([
    {
      id: expect.any(String),
      calls: 7,
      minute: `${now.slice(0, 17)}00.000Z`,
      key_id: key.id,
      key_name: "Radio",
      user_id: mia.id,
      user_name: "mia",
      model: null,
      error: "rate_limited",
      limit: "key_rpm",
      at: now,
      request_id: "req_1",
      status: 429,
      message: "This key is limited to 60 requests per minute. Try again in 12 s.",
      retry_after: 12,
      address: "10.0.0.7",
    },
  ]);
  expect(await list("?user_id=usr_other", mia.cookie)).toEqual([]);
  expect(await list("?key_id=key_gone", mia.cookie)).toEqual([]);
  expect(await list("?status=429", owner)).toHaveLength(1);
  expect(await list("?status=ok", owner)).toEqual([]);
  expect(await list("?status=unauthenticated", owner)).toMatchObject([{ key_id: null, key_name: null }]);
  expect(await list(`?key_id=${key.id}&request_id=req_1`, owner)).toHaveLength(1);
  expect((await harness("/api/usage/rejected", {})).status).toBe(401);
  const shown = await harness(`/api/keys/${key.id}`, { cookie: mia.cookie });
  expect(shown.json.data.last_rejected).toEqual({ at: now, error: "rate_limited", limit: "key_rpm" });
});

test("a usage summary has the number of rejected requests only where its filter applies to them", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  await services.store.rejections.add([
    record({ keyId: "key_a", userId: mia.id, calls: 7 }),
    record({ keyId: "key_b", userId: "usr_2", calls: 2, model: "tts" }),
  ]);
  const to = new Date(services.clock.now() + 60_000).toISOString();
  const rejected = async (query: string, cookie = owner) =>
    (await harness(`/api/usage/summary?to=${to}${query}`, { cookie })).json.data.rejected;
  expect(await rejected("")).toBe(9);
  expect(await rejected("", mia.cookie)).toBe(7);
  expect(await rejected("&key_id=key_b")).toBe(2);
  expect(await rejected("&model=tts")).toBe(2);
  expect(await rejected("&channel_id=chn_1")).toBeNull();
  expect(await rejected("&status=failed")).toBeNull();
});

test("the filter by a model finds rejections of callers who sent an alias of it", async () => {
  await services.store.models.insert(
    embedModel({ name: "tts-large", aliases: ["voice"], operation: "speech", enabled: false }),
  );
  await services.store.rejections.add([
    record({ model: "tts-large", calls: 1 }),
    record({ model: "voice", calls: 2 }),
    record({ model: "other", calls: 4 }),
  ]);
  const to = new Date(services.clock.now() + 60_000).toISOString();
  const counted = async (model: string) => {
    const list = await harness(`/api/usage/rejected?model=${model}`, { cookie: owner });
    const sums = await harness(`/api/usage/summary?to=${to}&model=${model}`, { cookie: owner });
    const calls = list.json.data.items.map((one: { calls: number }) => one.calls).sort();
    return [calls, sums.json.data.rejected];
  };
  expect(await counted("tts-large")).toEqual([[1, 2], 3]);
  expect(await counted("voice")).toEqual([[2], 2]);
  expect(await counted("other")).toEqual([[4], 4]);
});

test("removes counts of rejected requests after the days of the setting", async () => {
  await services.store.rejections.add([record()]);
  services.clock.advance(13 * 86_400_000);
  expect((await sweepUsage(services)).rejections).toBe(0);
  services.clock.advance(2 * 86_400_000);
  await services.store.settings.put("rejection_retention_days", null);
  expect((await sweepUsage(services)).rejections).toBe(0);
  await services.store.settings.put("rejection_retention_days", 14);
  expect((await sweepUsage(services)).rejections).toBe(1);
});

test("removes counts of rejected requests also while the ledger is in use and cannot drop whole months", async () => {
  await services.store.rejections.add([record()]);
  services.clock.advance(15 * 86_400_000);
  vi.spyOn(services.store.ledger, "maintain").mockRejectedValueOnce(new Error("lock timeout"));
  await expect(sweepUsage(services)).rejects.toThrow("lock timeout");
  // The failed sweep has already removed the count.
  expect((await sweepUsage(services)).rejections).toBe(0);
});

test("shows administrators why a request failed: the upstream's message and the skipped channels", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const attempt = {
    channelId: "chn_a",
    keyId: null,
    startedMs: 1,
    firstByteMs: null,
    endedMs: 2,
    error: "upstream_error",
    upstreamStatus: 500,
    message: "Out of GPUs <b>now</b>",
  };
  const since = services.clock.now() - 5_000;
  const row: UsageRecord = {
    ...usageRecord("key_1", mia.id, {
      status: 502,
      error: "upstream_error",
      channelId: "chn_a",
      at: services.clock.now(),
    }),
    trace: {
      admittedMs: 0,
      settledMs: 3,
      attempts: [attempt],
      skipped: [
        { channelId: "chn_b", reason: "circuit", openedAt: since, openReason: "failures" },
        { channelId: "chn_c", reason: "disabled", openedAt: null, openReason: null },
      ],
    },
  };
  await services.store.ledger.settle(row, { day: "2026-09-21", month: "2026-09" });
  const { trace } = (await harness(`/api/usage/${row.id}`, { cookie: owner })).json.data;
  expect(trace.attempts[0].message).toBe("Out of GPUs <b>now</b>");
  const skipped = { channel_name: null, circuit_reason: null, since: null };
  expect(trace.skipped).toEqual([
    {
      ...skipped,
      channel_id: "chn_b",
      reason: "circuit",
      circuit_reason: "failures",
      since: new Date(since).toISOString(),
    },
    { ...skipped, channel_id: "chn_c", reason: "disabled" },
  ]);
  const own = (await harness(`/api/usage/${row.id}`, { cookie: mia.cookie })).json.data.trace;
  expect([own.attempts[0].message, own.skipped]).toEqual([null, []]);
});
