import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openStore } from "../../lib/store/open";
import { SYSTEM_CLOCK } from "../support/factories";
import { startPgBouncer } from "../support/pgbouncer";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { createKey, type ProductOptions, setUp, startProduct } from "../support/product";
import { sendOver, startRouted } from "../support/routed-product";

/** Instances behind PgBouncer in transaction mode. */

const IGNORED =
  "ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout";
const SECRET = "the secret of all instances in this test";

let server: TestPostgres;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => server.close());

async function pooled(settings: readonly string[]): Promise<{ direct: string; url: string }> {
  const direct = await server.createDatabase();
  const pooler = await startPgBouncer(direct, settings);
  closers.push(() => pooler.close());
  return { direct, url: pooler.url };
}

async function start(env: ProductOptions["env"]) {
  const product = await startProduct({
    nodeAdapterOnly: true,
    env: { PATCHBAY_SECRET: SECRET, ...env },
  });
  closers.push(() => product.close());
  return product;
}

const embed = (url: string, key: string, input: string) =>
  sendOver(url, "/v1/embeddings", { model: "patchbay-embed", input, encoding_format: "base64" }, key);

test("the start is refused with one line that names the setting for pgbouncer.ini", async () => {
  const { url } = await pooled([]);
  await expect(start({ DATABASE_URL: url })).rejects.toThrow(
    /^The server stopped:\n[^\n]*unsupported startup parameter[^\n]*ignore_startup_parameters = statement_timeout[^\n]*\n$/,
  );
}, 60_000);

test("each call is recorded once, and the log names the variable that LISTEN needs", async () => {
  const { direct, url } = await pooled([IGNORED]);
  const product = await start({ DATABASE_URL: url });
  expect(product.output()).toMatch(/live pages[^\n]*DATABASE_URL_DIRECT[^\n]*store_listener_deaf/);
  const key = await createKey(product.url, await setUp(product.url), { budget: { total_usd: "1" } });
  for (let round = 0; round < 5; round++) {
    const calls = Array.from({ length: 40 }, (_, call) => embed(product.url, key, `text ${round} ${call}`));
    for (const { status, text } of await Promise.all(calls)) expect(status, text).toBe(200);
  }
  const client = new Client({ connectionString: direct });
  await client.connect();
  const { rows } = await client.query("select state, count(*)::int from usage group by 1");
  await client.end();
  expect(rows).toEqual([{ state: "settled", count: 200 }]);
}, 60_000);

test("with DATABASE_URL_DIRECT a revoked key is refused by another instance within a second", async () => {
  const { direct, url } = await pooled([IGNORED]);
  const env = { DATABASE_URL: url, DATABASE_URL_DIRECT: direct };
  const [one, other] = [await start(env), await start(env)];
  expect(one.output()).not.toContain("store_listener_deaf");
  const cookie = await setUp(one.url);
  const key = await createKey(one.url, cookie);
  await expect.poll(async () => (await embed(other.url, key, "a text")).status, { timeout: 2_000 }).toBe(200);
  const listed = await fetch(`${one.url}/api/keys`, { headers: { cookie } });
  const { data } = (await listed.json()) as { data: { items: { id: string }[] } };
  await fetch(`${one.url}/api/keys/${data.items[0]?.id}`, { method: "DELETE", headers: { cookie } });
  await expect.poll(async () => (await embed(other.url, key, "a text")).status, { timeout: 1_000 }).toBe(401);
}, 60_000);

test("concurrent free and priced calls of two instances all succeed", async () => {
  const { url } = await pooled([IGNORED]);
  const env = { DATABASE_URL: url, PATCHBAY_SECRET: SECRET, PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1" };
  const routed = await startRouted({ env });
  closers.push(() => routed.close());
  const other = await start(env);
  const { name: priced } = await routed.route("embeddings", [{ as: "embed.8" }], {
    prices: { input_per_million_tokens: "1" },
  });
  const key = await routed.newKey({ budget: { total_usd: "1" } });
  const call = (at: string, model: string) => sendOver(at, "/v1/embeddings", { model, input: "a text" }, key);
  // The two instances run the ledger's statements for the first time in different orders.
  const order = { [routed.product.url]: ["patchbay-embed", priced], [other.url]: [priced, "patchbay-embed"] };
  for (const [at, models] of Object.entries(order)) {
    for (const model of models)
      await expect.poll(async () => (await call(at, model)).status, { timeout: 15_000 }).toBe(200);
  }
  for (let round = 0; round < 5; round++) {
    const calls = Object.entries(order).flatMap(([at, models]) =>
      [...models, ...models, ...models].map((model) => call(at, model)),
    );
    for (const { status, text } of await Promise.all(calls)) expect(status, text).toBe(200);
  }
}, 120_000);

test("a process that hangs in a write transaction blocks the writes of other processes for at most 20 s", async () => {
  const { direct, url } = await pooled([IGNORED]);
  const open = async (instanceId: string) => {
    const store = await openStore({
      databaseUrl: url,
      // Only a SQLite store starts this worker.
      storeWorker: new URL("file:///dev/null"),
      instanceId,
      clock: SYSTEM_CLOCK,
      timeZone: "UTC",
    });
    closers.push(() => store.close());
    return store;
  };
  const [stopped, other] = [await open("stopped"), await open("other")];
  const client = new Client({ connectionString: direct });
  await client.connect();
  closers.push(() => client.end());
  let resume = (): void => undefined;
  const held = new Promise<void>((hold) => {
    void stopped
      .transaction(
        () =>
          new Promise<void>((resolve) => {
            resume = resolve;
            hold();
          }),
      )
      .catch(() => undefined);
  });
  await held;
  const waiting: number[] = [];
  const beat = async (): Promise<string> => {
    const outcome = await other.ledger.heartbeat(0).then(
      () => "written",
      (error) => error.code,
    );
    const { rows } = await client.query(
      "select count(*)::int from pg_stat_activity where wait_event = 'advisory'",
    );
    waiting.push(rows[0].count);
    return outcome;
  };
  expect(await beat()).toBe("storage_unavailable");
  await expect.poll(beat, { timeout: 20_000 }).toBe("written");
  expect(Math.max(...waiting)).toBeLessThanOrEqual(1);
  resume();
}, 60_000);
