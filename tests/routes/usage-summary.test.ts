import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hasCode } from "../../lib/errors";
import { createDispatcher } from "../../lib/http/core/dispatch";
import { USAGE_ROUTES } from "../../lib/http/routes/console/usage";
import type { UsageRecord } from "../../lib/ports/store";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { chunked } from "../support/exchange";
import { usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const period = { day: "2026-09-21", month: "2026-09" };
const settle = (userId: string, fields: Partial<UsageRecord> = {}) =>
  services.store.ledger.settle(
    usageRecord("key_1", userId, {
      at: services.clock.now() - HOUR,
      state: "settled",
      status: 200,
      ...fields,
    }),
    period,
  );

/** Starts an export, by a cookie or a key. */
async function begin(
  headers: readonly (readonly [string, string])[],
  query = "",
  path = "/api/usage/export",
): Promise<{ type: string; body: AsyncIterable<Uint8Array> }> {
  const handler = createDispatcher(USAGE_ROUTES, async () => services);
  const reply = await handler({
    method: "GET",
    path,
    query,
    headers: new Map(headers),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "r",
    receivedAt: 0,
    signal: new AbortController().signal,
    onFinished: () => undefined,
    readBody: async () => new Uint8Array(0),
    streamBody: () => chunked(new Uint8Array(0)),
  });
  if (reply.body === null || reply.body instanceof Uint8Array) throw new Error(`no file: ${reply.status}`);
  return { type: String(reply.headers["content-type"]), body: reply.body };
}

/** The exported file, in chunks as sent. */
async function download(
  cookie: string,
  query = "",
  path?: string,
): Promise<{ type: string; chunks: string[] }> {
  const { type, body } = await begin([["cookie", cookie]], query, path);
  const chunks: string[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
  return { type, chunks };
}

test("sums calls by hour and by dimension, with a total; members see only their own calls", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  await settle(mia.id, { model: "a", costNano: 200, latencyMs: 80 });
  await settle("usr_other", { model: "b", costNano: 300, error: "upstream_error", status: 502 });
  const all = await harness("/api/usage/summary?by=model&interval=hour", { cookie: owner });
  expect(all.json.data.total).toMatchObject({ calls: 2, errors: 1, cost_usd: "0.000000500" });
  expect(all.json.data.items.map((item: { name: string }) => item.name).sort()).toEqual(["a", "b"]);
  expect(all.json.data.items[0].period).toMatch(/T\d\d:00:00.000Z$/);
  const own = await harness("/api/usage/summary?by=model", { cookie: mia.cookie });
  expect(own.json.data.items).toMatchObject([
    { name: "a", calls: 1, latency_p50_ms: 80, latency_p95_ms: 80 },
  ]);
  expect((await harness("/api/usage/summary?user_id=usr_other", { cookie: mia.cookie })).status).toBe(404);
});

test("sums a short range to the minute while its entries are kept, then by whole hours", async () => {
  const now = services.clock.now();
  const sumFrom = async (at: number) => {
    await settle("usr_1", { at: at - (at % 3_600_000) + 60_000 });
    return sumOf(at);
  };
  const sumOf = async (at: number) => {
    const hour = at - (at % 3_600_000);
    const range = [hour + 120_000, hour + 3_600_000].map((one) => new Date(one).toISOString());
    const query = new URLSearchParams({ from: range[0] ?? "", to: range[1] ?? "", by: "model" });
    const { json } = await harness(`/api/usage/summary?${query}`, { cookie: owner });
    return json.data.total.calls;
  };
  expect(await sumFrom(now - 3 * 3_600_000)).toBe(0);
  expect(await sumFrom(now - 50 * 3_600_000)).toBe(0);
  expect(await sumFrom(now - 80 * 3_600_000)).toBe(0);
  await services.store.ledger.sweep("rows", now - 72 * 3_600_000, 100);
  expect(await sumOf(now - 50 * 3_600_000)).toBe(0);
  // The entry of this hour is deleted, so the whole hour is counted, whatever the retention is now.
  expect(await sumOf(now - 80 * 3_600_000)).toBe(1);
});

test("sums the keys of all playground sessions as one", async () => {
  for (const keyId of ["play_first", "play_second", "key_1"]) await settle("usr_1", { keyId });
  const { json } = await harness("/api/usage/summary?by=key", { cookie: owner });
  expect(json.data.items).toMatchObject([
    { name: "key_1", calls: 1 },
    { name: "play", label: "Playground", calls: 2 },
  ]);
  // The ID `play` of that row also filters the list of calls.
  expect((await harness("/api/usage?key_id=play", { cookie: owner })).json.data.items).toHaveLength(2);
});

test("sums days in the instance's time zone", async () => {
  services.instance.timeZone = "Asia/Tokyo";
  await settle("usr_1", { at: Date.parse("2026-09-20T14:30:00Z") });
  await settle("usr_1", { at: Date.parse("2026-09-20T15:30:00Z") });
  const reply = await harness(
    "/api/usage/summary?interval=day&from=2026-09-19T00:00:00Z&to=2026-09-22T00:00:00Z",
    {
      cookie: owner,
    },
  );
  expect(reply.json.data.items.map((item: { period: string }) => item.period)).toEqual([
    "2026-09-20",
    "2026-09-21",
  ]);
});

test.each([
  "from=2026-09-22T00:00:00Z&to=2026-09-21T00:00:00Z",
  "by=colour",
  "interval=hour&from=2020-01-01T00:00:00Z",
])("answers 400 to the query %s", async (query) => {
  expect((await harness(`/api/usage/summary?${query}`, { cookie: owner })).status).toBe(400);
});

test("finds and sums calls by operation, outcome, tag, end user and request ID", async () => {
  await settle("usr_1", { operation: "embeddings", model: "a", tags: "blue,night", endUser: "anna" });
  await settle("usr_1", {
    status: 504,
    error: "upstream_timeout",
    model: "b",
    tags: "blue",
    requestId: "req_x",
    costNano: 9,
  });
  const modelsBy = async (query: string, cookie = owner) => {
    const list = await harness(`/api/usage?${query}`, { cookie });
    const sums = await harness(`/api/usage/summary?by=model&${query}`, { cookie });
    const named = (items: Record<string, string>[], field: string) => items.map((item) => item[field]).sort();
    expect(named(sums.json.data.items, "name")).toEqual(named(list.json.data.items, "model"));
    return named(list.json.data.items, "model");
  };
  expect(await modelsBy("operation=embeddings")).toEqual(["a"]);
  expect(await modelsBy("status=ok")).toEqual(["a"]);
  expect(await modelsBy("status=failed")).toEqual(["b"]);
  expect(await modelsBy("status=upstream_timeout")).toEqual(["b"]);
  expect(await modelsBy("status=504")).toEqual(["b"]);
  expect(await modelsBy("tag=blue")).toEqual(["a", "b"]);
  expect(await modelsBy("tag=night")).toEqual(["a"]);
  expect(await modelsBy("end_user=anna")).toEqual(["a"]);
  expect(await modelsBy("request_id=req_x")).toEqual(["b"]);
  const mia = await addUser(harness, owner, { username: "mia" });
  expect(await modelsBy("request_id=req_x", mia.cookie)).toEqual([]);
  const others = await harness("/api/usage?user_id=usr_1&tag=blue", { cookie: mia.cookie });
  expect(others.json.data.items).toEqual([]);
  expect((await harness("/api/usage?status=Bad!", { cookie: owner })).status).toBe(400);
  expect((await download(owner, "status=failed")).chunks.join("").trimEnd().split("\r\n")).toHaveLength(2);
});

test("returns at most a thousand labels and counts every call in the total", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const tagsOf = (call: number) => Array.from({ length: 20 }, (_, label) => `${call}-${label}`).join(",");
  const many = Array.from({ length: 1_100 }, (_, call) =>
    settle(mia.id, { tags: tagsOf(call), endUser: `caller ${call}` }),
  );
  await Promise.all(many);
  for (let i = 0; i < 2; i++) await settle(mia.id, { tags: "busy", endUser: "busy" });
  // The largest label, but each of its calls has different tags, so that none is among the largest groups.
  for (let i = 0; i < 3; i++) await settle(mia.id, { tags: `z${i},spread`, endUser: `z${i}` });
  const byTag = await harness("/api/usage/summary?by=tag", { cookie: mia.cookie });
  const byCaller = await harness("/api/usage/summary?by=end_user", { cookie: mia.cookie });
  for (const { json } of [byTag, byCaller]) {
    expect(json.data.total.calls).toBe(1_105);
    expect(json.data.items).toHaveLength(1_000);
    const named = json.data.items.find((item: { name: string }) => item.name === "busy");
    expect(named).toMatchObject({ calls: 2 });
  }
  expect(byTag.json.data.items[0]).toMatchObject({ name: "spread", calls: 3 });
});

test("returns the items with the most calls and the total of all with a limit, over short and long ranges", async () => {
  const now = services.clock.now();
  const midnight = now - (now % DAY) - 2 * DAY;
  // The busiest key has one call before, one on and one after the whole day of the long range.
  const calls: [string, number][] = [
    ["key_1", midnight - HOUR],
    ["play_first", midnight + HOUR],
    ["key_1", midnight + HOUR],
    ["play_second", midnight + HOUR],
    ["key_2", midnight + HOUR],
    ["key_1", midnight + DAY],
  ];
  for (const [keyId, at] of calls) await settle("usr_1", { keyId, at });
  const ask = async (from: number, to: number, more: Record<string, string>) => {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const query = new URLSearchParams({ ...range, ...more });
    const { data } = (await harness(`/api/usage/summary?${query}`, { cookie: owner })).json;
    const items = data.items.map((item: { name: string; calls: number }) => [item.name, item.calls]);
    return [data.total.calls, items];
  };
  const long: [number, number] = [midnight - 2 * HOUR, midnight + DAY + HOUR];
  expect(await ask(...long, { by: "key", limit: "2" })).toEqual([
    6,
    [
      ["key_1", 3],
      ["play", 2],
    ],
  ]);
  expect(await ask(...long, { by: "key", limit: "1" })).toEqual([6, [["key_1", 3]]]);
  // A filter by status makes the sums come from the entries.
  const inDay: [number, number] = [midnight, midnight + DAY];
  expect(await ask(...inDay, { by: "key", limit: "1", status: "ok" })).toEqual([4, [["play", 2]]]);
  expect(await ask(...long, { by: "key", limit: "1", interval: "day" })).toEqual([6, [["play", 2]]]);
  expect(await ask(...long, { by: "end_user", limit: "1" })).toEqual([6, [[null, 6]]]);
  // Labels come from the entries, so their total does not count the hour's calls before the range.
  const later: [number, number] = [midnight + HOUR + 1, midnight + DAY + HOUR];
  expect(await ask(...later, { by: "end_user", limit: "1" })).toEqual([1, [[null, 1]]]);
  const byDay = await ask(...long, { by: "key", limit: "9", interval: "day" });
  expect(byDay).toEqual(await ask(...long, { by: "key", interval: "day" }));
  // A range of minutes, whose whole hours come from the roll-ups; and one with entries only.
  for (const to of [midnight + 3 * HOUR, midnight + HOUR + 60_000])
    expect(await ask(midnight + 60_000, to, { by: "key", limit: "1" })).toEqual([4, [["play", 2]]]);
  // key_3 has the most calls in the range, but is first neither at its ends nor in the whole hour between them.
  const minutes = [
    [10, "key_1", "key_1", "key_3"],
    [70, "key_2", "key_2", "key_3"],
    [130, "key_1", "key_3"],
  ] as const;
  for (const [minute, ...keyIds] of minutes)
    for (const keyId of keyIds) await settle("usr_1", { keyId, at: midnight - DAY + minute * 60_000 });
  await settle("usr_1", { keyId: "key_3", at: midnight - DAY + 71 * 60_000 });
  const exact: [number, number] = [midnight - DAY + 60_000, midnight - DAY + 140 * 60_000];
  expect(await ask(...exact, { by: "key", limit: "1" })).toEqual([9, [["key_3", 4]]]);
  const { status } = await harness("/api/usage/summary?by=key&limit=1001", { cookie: owner });
  expect(status).toBe(400);
});

test.each(["key", "end_user"])(
  "returns the items with the greatest requested amount (calls, cost or audio), by %s",
  async (by) => {
    await settle("usr_1", { keyId: "key_1", endUser: "key_1", costNano: 1 });
    await settle("usr_1", { keyId: "key_1", endUser: "key_1" });
    await settle("usr_1", { keyId: "key_2", endUser: "key_2", costNano: 2, audioMs: 1 });
    const first = async (order: string) => {
      const path = `/api/usage/summary?by=${by}&limit=1${order}`;
      const { data } = (await harness(path, { cookie: owner })).json;
      return [data.total.calls, data.items.map((item: { name: string }) => item.name)];
    };
    expect(await first("")).toEqual([3, ["key_1"]]);
    expect(await first("&order=calls")).toEqual([3, ["key_1"]]);
    for (const order of ["cost", "audio"]) expect(await first(`&order=${order}`)).toEqual([3, ["key_2"]]);
    const refused = await harness(`/api/usage/summary?by=${by}&order=name`, { cookie: owner });
    expect(refused.status).toBe(400);
  },
);

test("counts a call with two tags under each, and once in the total", async () => {
  await settle("usr_1", { tags: "blue, night" });
  await settle("usr_1", { tags: "blue" });
  await settle("usr_1", { tags: null });
  const { data } = (await harness("/api/usage/summary?by=tag", { cookie: owner })).json;
  expect(data.total.calls).toBe(3);
  expect(data.read_from).toBeNull();
  const counts = data.items.map((item: { name: string | null; calls: number }) => [item.name, item.calls]);
  expect(new Map(counts)).toEqual(
    new Map([
      ["blue", 2],
      ["night", 1],
      [null, 1],
    ]),
  );
  await settle("usr_1", { tags: "night" });
  await settle("usr_1", { tags: "night, x" });
  await settle("usr_1", { tags: null });
  const busiest = (await harness("/api/usage/summary?by=tag&limit=1", { cookie: owner })).json.data;
  expect([busiest.total.calls, busiest.items.length]).toEqual([6, 1]);
  expect(busiest.items).toMatchObject([{ name: "night", calls: 3 }]);
});

test("exports CSV in pages, with formulas as text and only their own rows for members", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  for (let i = 0; i < 150; i++) await settle("usr_other", { tags: "plain" });
  await settle(mia.id, { endUser: "=HYPERLINK(1)", tags: 'a,"b"' });
  const all = await download(owner);
  expect(all.type).toBe("text/csv; charset=utf-8");
  expect(all.chunks.length).toBe(3);
  expect(all.chunks.join("").trimEnd().split("\r\n")).toHaveLength(152);
  const own = (await download(mia.cookie)).chunks.join("");
  expect(own.trimEnd().split("\r\n")).toHaveLength(2);
  expect(own).toContain("'=HYPERLINK(1)");
  expect(own).toContain('"a,""b"""');
  // The column `state` marks a call that still runs, whose cost is not known yet.
  expect(
    own
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(",").slice(-2)),
  ).toEqual([
    ["state", "overrun"],
    ['"settled"', "false"],
  ]);
});

test("begins a CSV file with a byte order mark for a browser, and without one for a key", async () => {
  await settle("usr_1", { endUser: "小明" });
  const { key } = (
    await harness("/api/keys", { body: { name: "ops", operations: ["manage"] }, cookie: owner })
  ).json.data;
  for (const path of ["/api/usage/export", "/api/usage/rejected/export"]) {
    const startOf = async (name: string, value: string, query = "") => {
      for await (const chunk of (await begin([[name, value]], query, path)).body)
        return Buffer.from(chunk).toString().slice(0, 3);
    };
    expect(await startOf("cookie", owner), path).toMatch(/^\uFEFF[a-z,]{2}$/);
    expect(await startOf("authorization", `Bearer ${key}`), path).toMatch(/^[a-z,]{3}$/);
  }
  expect((await download(owner, "format=jsonl")).chunks.join("")).toMatch(/^\{.*"user":"小明"/);
});

test("exports JSON lines with the rows of the list, and only their own rows for members", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  await settle("usr_other", { model: "secret-model", endUser: "mia" });
  await settle(mia.id, { endUser: "=1", requestId: "req_mia" });
  const { type, chunks } = await download(mia.cookie, "format=jsonl&q=mia");
  expect(type).toBe("application/x-ndjson; charset=utf-8");
  const rows = chunks.join("").trimEnd().split("\n");
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([{ request_id: "req_mia", user: "=1" }]);
  const { items } = (await harness("/api/usage?q=mia", { cookie: mia.cookie })).json.data;
  expect(items).toMatchObject(rows.map((row) => JSON.parse(row)));
  expect((await harness("/api/usage/export?format=xml", { cookie: owner })).status).toBe(400);
});

test("exports rejected requests, and to members only those of their own keys", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const at = services.clock.now() - HOUR;
  const record = {
    minute: at - (at % 60_000),
    keyId: "key_1",
    model: "tts",
    error: "rate_limited",
    limit: "key_rpm" as const,
    calls: 2,
    at,
    requestId: "req_1",
    status: 429,
    message: "=SUM(1)",
    retryAfterS: 12,
    address: null,
  };
  await services.store.rejections.add([
    { ...record, userId: mia.id },
    { ...record, userId: "usr_other", keyId: "key_2", requestId: "req_other" },
  ]);
  const path = "/api/usage/rejected/export";
  const all = (await download(owner, "", path)).chunks.join("").trimEnd().split("\r\n");
  expect(all).toHaveLength(3);
  const own = (await download(mia.cookie, "status=429", path)).chunks.join("");
  expect(own).toContain("'=SUM(1)");
  expect(own).not.toContain("req_other");
  const lines = (await download(mia.cookie, "format=jsonl&q=req_", path)).chunks.join("").trimEnd();
  expect(JSON.parse(lines)).toMatchObject({
    request_id: "req_1",
    calls: 2,
    retry_after: 12,
    limit: "key_rpm",
  });
  expect((await download(owner, "status=404", path)).chunks).toHaveLength(1);
});

test.each([
  ["one character", "a"],
  ["NUL", "a%00b"],
  ["10,000 characters", "a".repeat(10_000)],
])("refuses to search for %s in lists, sums and exports", async (_, q) => {
  for (const path of ["", "/summary", "/rejected", "/export", "/rejected/export"])
    expect((await harness(`/api/usage${path}?q=${q}`, { cookie: owner })).status).toBe(400);
});

test("searches for operators and wildcards as plain text, also in rejected requests", async () => {
  await settle("usr_1", { endUser: "100%_\\'\"; --" });
  await settle("usr_1", { endUser: "100 per cent" });
  const q = encodeURIComponent("100%_\\'\"; --");
  const summary = await harness(`/api/usage/summary?q=${q}`, { cookie: owner });
  expect(summary.json.data).toMatchObject({ total: { calls: 1 }, rejected: 0 });
  expect((await harness(`/api/usage?q=${q}`, { cookie: owner })).json.data.items).toHaveLength(1);
});

test("reads no further page after a download was aborted", async () => {
  for (let i = 0; i < 450; i++) await settle("usr_1");
  const list = vi.spyOn(services.store.ledger, "list");
  const { body } = await begin([["cookie", owner]], "format=jsonl");
  for await (const chunk of body) {
    expect(Buffer.from(chunk).toString().split("\n")).toHaveLength(101);
    break;
  }
  expect(list).toHaveBeenCalledTimes(1);
});

describe("a running export", () => {
  /** Reads the export to its end: the number of pages after the first, and how it ended. */
  async function readToEnd(
    headers: readonly (readonly [string, string])[],
    meanwhile: () => Promise<unknown>,
  ): Promise<[pages: number, end: string]> {
    for (let i = 0; i < 450; i++) await settle("usr_other");
    const { body } = await begin(headers);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.next();
    await meanwhile();
    for (let pages = 0; ; pages++) {
      try {
        if ((await chunks.next()).done) return [pages, "whole"];
      } catch (error) {
        return [pages, hasCode(error, "unauthenticated") ? "cut" : String(error)];
      }
    }
  }
  const adaSignedIn = () => addUser(harness, owner, { username: "ada", role: "admin" });

  test("completes if nothing changes", async () => {
    expect(await readToEnd([["cookie", owner]], async () => undefined)).toEqual([4, "whole"]);
  });

  test("is aborted when its session is signed out", async () => {
    const { cookie } = await adaSignedIn();
    const leave = () => harness("/api/user/logout", { body: {}, cookie });
    expect(await readToEnd([["cookie", cookie]], leave)).toEqual([0, "cut"]);
  });

  test("is aborted when its user is disabled", async () => {
    const { id, cookie } = await adaSignedIn();
    const disable = () =>
      harness(`/api/users/${id}`, { method: "PATCH", body: { version: 1, enabled: false }, cookie: owner });
    expect(await readToEnd([["cookie", cookie]], disable)).toEqual([0, "cut"]);
  });

  test("is aborted when 2FA becomes required and the key's owner has none", async () => {
    const { cookie } = await adaSignedIn();
    const ops = { name: "ops", operations: ["manage"] };
    const { key } = (await harness("/api/keys", { body: ops, cookie })).json.data;
    const require = () => changeSettings(harness, owner, { two_factor_roles: ["admin"] });
    expect(await readToEnd([["authorization", `Bearer ${key}`]], require)).toEqual([0, "cut"]);
  });

  test("is aborted when its key is deleted", async () => {
    const { key, id } = (
      await harness("/api/keys", { body: { name: "ops", operations: ["manage"] }, cookie: owner })
    ).json.data;
    const remove = () => harness(`/api/keys/${id}`, { method: "DELETE", cookie: owner });
    expect(await readToEnd([["authorization", `Bearer ${key}`]], remove)).toEqual([0, "cut"]);
  });
});
