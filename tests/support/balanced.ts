import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { expect } from "vitest";
import { startNginx, type TestNginx } from "./nginx";
import { startPostgres, type TestPostgres } from "./postgres";
import { createKey, freePort, type Product, type ProductOptions, setUp, startProduct } from "./product";
import { startRedis, type TestRedis } from "./redis";
import { startUpstream, type Upstream } from "./upstream/server";

/** An entry of the usage ledger. */
export interface LedgerEntry {
  requestId: string;
  model: string;
  state: string;
  status: number;
  attempts: number;
}

/** Instances on one PostgreSQL and one Redis behind nginx, with channels to a loopback upstream. */
export interface BalancedInstances {
  /** The URL of nginx. */
  url: string;
  key: string;
  postgres: TestPostgres;
  redis: TestRedis;
  nginx: TestNginx;
  upstream: Upstream;
  instances: Product[];
  /** Starts instance `index` on its port, from another checkout when `root` is given. */
  start(index: number, root?: string): Promise<Product>;
  /** Starts every part that is not running. */
  restore(): Promise<void>;
  newKey(fields?: Record<string, unknown>): Promise<string>;
  /** A console API call through nginx; throws unless the status is 200. */
  console(path: string, body?: unknown, method?: string): Promise<ReturnType<typeof JSON.parse>>;
  /** All entries, or those of one state. */
  entries(state?: "open"): Promise<LedgerEntry[]>;
  /** Counts the calls that the upstream has received, and releases their bodies. */
  forgetUpstreamCalls(): void;
  /** Every reply that an SDK received has one entry, no request has two, and none stays open. */
  expectCompleteLedger(received: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface BalancedOptions {
  count?: number;
  env?: Record<string, string>;
  /** The checkout whose build the first instances run. */
  root?: string;
}

/** The model that `startBalanced` creates, with a channel to the upstream. */
export const ROUTED_MODEL = "team-embed";
const UPSTREAM_MODEL = "embed.8";
/** Another model on the same channel, with a cache. */
export const CACHED_MODEL = "cached-embed";

export async function startBalanced(options: BalancedOptions = {}): Promise<BalancedInstances> {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-balanced-"));
  const [postgres, redis, upstream] = await Promise.all([startPostgres(), startRedis(), startUpstream()]);
  const database = await postgres.createDatabase();
  const ports: number[] = [];
  while (ports.length < (options.count ?? 3)) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  const common: ProductOptions = {
    nodeAdapterOnly: true,
    env: {
      DATABASE_URL: database,
      REDIS_URL: redis.url,
      PATCHBAY_SHARED_CACHE_MB: "8",
      PATCHBAY_SECRET: "the secret of all instances in this test",
      PATCHBAY_TRUSTED_PROXIES: "127.0.0.1/32",
      PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1",
      PATCHBAY_SETUP_OPEN: "1",
      ...options.env,
    },
  };
  const start = (index: number, root?: string): Promise<Product> =>
    startProduct({
      ...common,
      port: ports[index] ?? 0,
      dataDirectory: path.join(folder, String(index)),
      ...(root === undefined ? {} : { root }),
    });
  const instances = await Promise.all(ports.map((_, index) => start(index, options.root)));
  const nginx = await startNginx(ports);
  const { url } = nginx;
  const cookie = await setUp(url);
  const key = await createKey(url, cookie);
  let upstreamCalls = 0;

  const balanced: BalancedInstances = {
    url,
    key,
    postgres,
    redis,
    nginx,
    upstream,
    instances,
    async start(index, root) {
      const product = await start(index, root);
      instances[index] = product;
      return product;
    },
    async restore() {
      await Promise.all([postgres.start(), redis.start(), nginx.start()]);
      for (const [index, { process: child }] of instances.entries())
        if (child.exitCode !== null || child.signalCode !== null) await balanced.start(index);
    },
    newKey: (fields = {}) => createKey(url, cookie, fields),
    async console(address, body, method = body === undefined ? "GET" : "POST") {
      const reply = await fetch(`${url}${address}`, {
        method,
        headers: { "content-type": "application/json", cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${method} ${address}: ${reply.status} ${text}`);
      return JSON.parse(text).data;
    },
    async entries(state) {
      const client = new Client({ connectionString: database });
      await client.connect();
      try {
        const { rows } = await client.query<{
          request_id: string;
          model: string;
          state: string;
          status: string;
          attempts: string;
        }>(
          "select request_id, model, state, status, attempts from usage where $1::text is null or state = $1",
          [state ?? null],
        );
        return rows.map(({ request_id: requestId, status, attempts, ...row }) => ({
          ...row,
          requestId,
          status: Number(status),
          attempts: Number(attempts),
        }));
      } finally {
        await client.end();
      }
    },
    forgetUpstreamCalls() {
      upstreamCalls += upstream.ledger.splice(0).filter(({ model }) => model === UPSTREAM_MODEL).length;
    },
    async expectCompleteLedger(received) {
      const entries = await balanced.entries();
      const states = new Map(entries.map(({ requestId, state }) => [requestId, state]));
      expect(states.size).toBe(entries.length);
      const wrong = received.filter((id) => states.get(id) !== "settled");
      expect(wrong).toEqual([]);
      const recorded = entries.filter(({ model }) => model === ROUTED_MODEL).length;
      balanced.forgetUpstreamCalls();
      // A call whose instance was killed before it reached the upstream has an entry, too.
      expect(recorded).toBeGreaterThanOrEqual(upstreamCalls);
      await expect.poll(() => balanced.entries("open"), { timeout: 40_000, interval: 500 }).toEqual([]);
    },
    async close() {
      await nginx.close();
      await Promise.all(instances.map((product) => product.kill()));
      await Promise.all([postgres.close(), redis.close(), upstream.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await createModel(balanced);
  return balanced;
}

/** Every call reaches the upstream; a character costs 1,000 nano-dollars. */
async function createModel({ console, upstream }: BalancedInstances): Promise<void> {
  await console("/api/models", {
    name: ROUTED_MODEL,
    operation: "embeddings",
    cacheable: false,
    batching: false,
    prices: { input_per_million_characters: "1" },
  });
  await console("/api/models", { name: CACHED_MODEL, operation: "embeddings", cacheable: true });
  await console("/api/channels", {
    name: "upstream",
    provider: "openai",
    base_url: `${upstream.origin}/v1`,
    keys: ["sk-upstream-0123456789abcdef"],
    models: [
      { name: ROUTED_MODEL, upstream_name: UPSTREAM_MODEL },
      { name: CACHED_MODEL, upstream_name: "embed.16" },
    ],
  });
}
