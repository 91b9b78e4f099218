import path from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, type Product, signIn, startProduct } from "../support/product";
import {
  expectFailure,
  type Reply,
  type RoutedProduct,
  sendOver,
  startRouted,
  until,
} from "../support/routed-product";

/** Budgets, limits and channel changes under many concurrent calls, on a real process and store. */

let routed: RoutedProduct;
beforeAll(async () => {
  // No call ends by this limit: calls to an upstream that never answers end by their channel's limit or their caller.
  routed = await startRouted({
    env: { PATCHBAY_LIMITS: JSON.stringify({ embeddingsFirstByteMs: 600_000 }) },
  });
});
afterAll(() => routed?.close());

/** Ten words: ten tokens by cl100k_base and by the upstream. */
const TEN_TOKENS = "hello world hello world hello world hello world hello world";
/** $1 per million tokens, 1,000 nano-dollars each: a call costs 10,000 and reserves 10 % more. */
const PRICES = { input_per_million_tokens: "1" };
/** A channel whose calls end with status 504. */
const UNANSWERED = { as: "embed.8--black-hole", timeouts: { first_byte_ms: 2_000 } };
/** Enough for ten concurrent reservations, but not for an eleventh call after ten settled ones. */
const BUDGET_FOR_TEN = "0.000110000";
const COST_OF_TEN = "0.000100000";

function counts(replies: readonly Reply[]): Record<number, number> {
  const seen: Record<number, number> = {};
  for (const { status } of replies) seen[status] = (seen[status] ?? 0) + 1;
  return seen;
}

function nano(usd: string): number {
  return Math.round(Number(usd) * 1e9);
}

const embed = (model: string, key: string, base = routed.product.url) =>
  sendOver(base, "/v1/embeddings", { model, input: TEN_TOKENS }, key);
const concurrently = (n: number, model: string, key: string) =>
  Promise.all(Array.from({ length: n }, () => embed(model, key)));

interface Balance {
  subject_id: string;
  period: string;
  spent: number;
  reserved: number;
}

function balances(): Balance[] {
  const database = new Database(path.join(routed.product.dataDirectory, "patchbay.db"), { readonly: true });
  const rows = database
    .prepare("select subject_id, period, spent, reserved from balances")
    .all() as Balance[];
  database.close();
  return rows;
}

async function keyOf(name: string) {
  const { items } = await routed.console("/api/keys?limit=100");
  return items.find((key: { name: string }) => key.name === name);
}

/** Creates a member with these limits, two API keys and a playground key. */
async function newUser(username: string, limits: object) {
  const { url } = routed.product;
  const password = "eleven blue teapots sing";
  const user = await routed.console("/api/users", { username, password, ...limits });
  const cookie = await signIn(url, { username, password });
  const playground = await fetch(`${url}/api/keys/playground`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie, origin: url },
    body: "{}",
  });
  const { data } = (await playground.json()) as { data: { key: string } };
  return {
    user,
    keys: [await createKey(url, cookie), await createKey(url, cookie)],
    playgroundKey: data.key,
  };
}

describe("a budget for ten calls", () => {
  test.each(["total_usd", "daily_usd", "monthly_usd"])(
    "admits ten of a hundred concurrent calls as a key's %s",
    async (period) => {
      const { name } = await routed.route("embeddings", [{ as: "embed.8" }], { prices: PRICES });
      const key = await routed.newKey({ name: `key ${period}`, budget: { [period]: BUDGET_FOR_TEN } });
      const asked = routed.upstream.ledger.length;
      const replies = await concurrently(100, name, key);
      expect(counts(replies)).toEqual({ 200: 10, 429: 90 });
      expect(routed.upstream.ledger.length - asked).toBe(10);
      for (const reply of replies.filter(({ status }) => status === 429)) {
        expectFailure("openai", reply, 429, "insufficient_quota");
        expect(reply.json.error.type).toBe("insufficient_quota");
        expect(reply.headers["x-should-retry"]).toBe("false");
      }
      const rows = await routed.rows(name);
      const paid = rows.reduce((sum, row) => sum + nano(row.cost_usd), 0);
      expect(paid).toBe(nano(COST_OF_TEN));
      const { id, spent } = await keyOf(`key ${period}`);
      expect(spent[period]).toBe(COST_OF_TEN);
      const own = balances().filter((balance) => balance.subject_id === id);
      expect(own.map(({ spent, reserved }) => [spent, reserved])).toEqual(own.map(() => [paid, 0]));
      expect(own.length).toBeGreaterThanOrEqual(3);
    },
  );

  test.each(["total_usd", "daily_usd", "monthly_usd"])(
    "admits ten of a hundred concurrent calls over all keys of a user as the user's %s",
    async (period) => {
      const { name } = await routed.route("embeddings", [{ as: "embed.8" }], { prices: PRICES });
      const { user, keys } = await newUser(`mia-${period}`, { budget: { [period]: BUDGET_FOR_TEN } });
      const replies = await Promise.all(keys.map((key) => concurrently(50, name, key)));
      expect(counts(replies.flat())).toEqual({ 200: 10, 429: 90 });
      const own = balances().filter((balance) => balance.subject_id === user.id);
      expect(own.map(({ spent, reserved }) => [spent, reserved])).toEqual(
        own.map(() => [nano(COST_OF_TEN), 0]),
      );
    },
  );

  test("is not used by a failed call, which releases its reservation for the next call", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8--status-400" }], { prices: PRICES });
    const { name: good } = await routed.route("embeddings", [{ as: "embed.8" }], { prices: PRICES });
    const key = await routed.newKey({ name: "refunded", budget: { total_usd: BUDGET_FOR_TEN } });
    expect((await concurrently(10, name, key)).every(({ status }) => status === 400)).toBe(true);
    expect(counts(await concurrently(20, good, key))).toEqual({ 200: 10, 429: 10 });
  });
});

describe("a key's limit", () => {
  test("of ten requests per minute admits ten of fifty concurrent calls, and says when to retry", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const replies = await concurrently(50, name, await routed.newKey({ rpm: 10 }));
    expect(counts(replies)).toEqual({ 200: 10, 429: 40 });
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.json.error.code).toBe("rate_limit_exceeded");
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(50);
    expect(refused?.headers["x-ratelimit-remaining-requests"] ?? "0").toBe("0");
  });

  test("of a hundred tokens per minute admits exactly ten calls of ten tokens", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
    expect(counts(await concurrently(30, name, await routed.newKey({ tpm: 100 })))).toEqual({
      200: 10,
      429: 20,
    });
  });

  test("of five concurrent calls admits five, refuses the others and frees the slots", async () => {
    const { name } = await routed.route("embeddings", [UNANSWERED]);
    const { name: good } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const key = await routed.newKey({ concurrency: 5 });
    expect(counts(await concurrently(20, name, key))).toEqual({ 504: 5, 429: 15 });
    for (let i = 0; i < 3; i += 1) expect(counts(await concurrently(5, good, key))).toEqual({ 200: 5 });
  });
});

describe("a user's limit over all keys of the user, the playground's included", () => {
  const spread = async (
    n: number,
    model: string,
    { keys, playgroundKey }: Awaited<ReturnType<typeof newUser>>,
  ) => (await Promise.all([...keys, playgroundKey].map((key) => concurrently(n, model, key)))).flat();

  test("of ten requests per minute admits ten of sixty concurrent calls", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const replies = await spread(20, name, await newUser("rpm", { rpm: 10 }));
    expect(counts(replies)).toEqual({ 200: 10, 429: 50 });
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.json.error.code).toBe("rate_limit_exceeded");
    expect(refused?.json.error.message).toContain("All keys of this key's owner together");
    expect(refused?.headers).toMatchObject({ "ratelimit-limit": "10", "ratelimit-remaining": "0" });
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(50);
  });

  test("of a hundred tokens per minute admits ten calls of ten tokens", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
    expect(counts(await spread(10, name, await newUser("tpm", { tpm: 100 })))).toEqual({ 200: 10, 429: 20 });
  });

  test("of five concurrent calls admits five and frees the slots", async () => {
    const { name } = await routed.route("embeddings", [UNANSWERED]);
    const { name: good } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const member = await newUser("concurrency", { concurrency: 5 });
    const { 429: refused = 0, 504: held = 0, ...others } = counts(await spread(7, name, member));
    // On a slow machine a call can come so late that it gets a slot and finds an open circuit (503).
    expect(held).toBeGreaterThanOrEqual(5);
    expect([refused + held + (others[503] ?? 0), refused >= 10]).toEqual([21, true]);
    for (let i = 0; i < 3; i += 1)
      expect(counts(await concurrently(5, good, member.playgroundKey))).toEqual({ 200: 5 });
  });
});

test("enforces a channel's requests per minute exactly, and sends the rest to the next channel", async () => {
  const { name, ids } = await routed.route("embeddings", [{ as: "embed.8", rpm: 7 }, { as: "embed.8" }]);
  expect(counts(await concurrently(30, name, routed.key))).toEqual({ 200: 30 });
  const rows = await routed.rows(name);
  expect(rows.filter((row) => row.channel_id === ids[0])).toHaveLength(7);
});

describe("a change of a channel", () => {
  const patch = (id: string, version: number, fields: object) =>
    routed.console(`/api/channels/${id}`, { version, ...fields }, "PATCH");

  test("applies from the next request on: disabled, enabled with another upstream model, with another key", async () => {
    const { name, ids } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const id = ids[0] ?? "";
    expect((await embed(name, routed.key)).status).toBe(200);
    await patch(id, 1, { enabled: false });
    const asked = routed.upstream.ledger.length;
    expectFailure("openai", await embed(name, routed.key), 503, "no_channel_available");
    expect(routed.upstream.ledger.length).toBe(asked);
    await patch(id, 2, { enabled: true, models: [{ name, upstream_name: "embed.12" }] });
    expect((await embed(name, routed.key)).json.data[0].embedding).toHaveLength(12);
    await patch(id, 3, { keys: ["sk-upstream-another-key-9999"] });
    expect((await embed(name, routed.key)).status).toBe(200);
    expect(routed.upstream.ledger.at(-1)?.headers.authorization).toBe("Bearer sk-upstream-another-key-9999");
  });

  /** The first reply that is no success; the test's timeout limits the wait. */
  async function firstRefusal(model: string, key: string, base: string): Promise<Reply> {
    for (;;) {
      const reply = await embed(model, key, base);
      if (reply.status !== 200) return reply;
    }
  }

  test("reaches a second process on the same store, as do a user's limit and the use of a shared budget", async () => {
    const { name, ids } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const second: Product = await startProduct({
      dataDirectory: routed.product.dataDirectory,
      nodeAdapterOnly: true,
      env: { PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1" },
    });
    try {
      expect((await embed(name, routed.key, second.url)).status).toBe(200);
      await patch(ids[0] ?? "", 1, { enabled: false });
      const disabled = await firstRefusal(name, routed.key, second.url);
      expectFailure("openai", disabled, 503, "no_channel_available");
      // A user's limit reaches the second process, too.
      const { name: open } = await routed.route("embeddings", [{ as: "embed.8" }]);
      const { user, keys } = await newUser("followed", {});
      while ((await embed(open, keys[0] ?? "", second.url)).status !== 200);
      await routed.console(`/api/users/${user.id}`, { version: user.version, rpm: 1 }, "PATCH");
      const limited = await firstRefusal(open, keys[0] ?? "", second.url);
      expectFailure("openai", limited, 429, "rate_limit_exceeded");
      expect(limited.headers["ratelimit-limit"]).toBe("1");
      // Both processes count against one budget.
      const { name: priced } = await routed.route("embeddings", [{ as: "embed.8" }], { prices: PRICES });
      const key = await routed.newKey({ name: "shared", budget: { total_usd: BUDGET_FOR_TEN } });
      while ((await embed(priced, routed.key, second.url)).status !== 200);
      const replies = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          embed(priced, key, i % 2 === 0 ? second.url : routed.product.url),
        ),
      );
      expect(counts(replies)).toEqual({ 200: 10, 429: 50 });
    } finally {
      await second.close();
    }
  });
});

test("calls to one upstream succeed while two hundred calls wait for another", async () => {
  const { name: stuck } = await routed.route("embeddings", [{ as: "embed.8--black-hole" }]);
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
  const leaving = new AbortController();
  const { signal } = leaving;
  const waiting = Array.from({ length: 200 }, () =>
    routed.send("/v1/embeddings", { model: stuck, input: TEN_TOKENS }, { signal }),
  );
  const ended = Promise.allSettled(waiting);
  await until(() => routed.upstream.inFlight() === 200);
  for (let i = 0; i < 100; i += 1) expect((await embed(name, routed.key)).status).toBe(200);
  expect(routed.upstream.inFlight()).toBe(200);
  leaving.abort();
  expect((await ended).map(({ status }) => status)).toEqual(waiting.map(() => "rejected"));
  await until(() => routed.upstream.inFlight() === 0);
});
