import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import { expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { startUpstream, type Upstream } from "../support/upstream/server";

/** Number of kills; the soak run sets more. */
const KILLS = Number(process.env.PATCHBAY_TEST_KILLS ?? 50);
/** Budget of one key in nano-dollars; it runs out during the test. */
const SMALL_BUDGET = 300_000;

/** A kind of call that some callers send repeatedly. */
interface Kind {
  path: string;
  key: string;
  body(unique: string): unknown;
}

function speech(model: string, key: string): Kind {
  return {
    path: `/v1beta/models/${model}:generateContent`,
    key,
    body: (unique) => ({
      contents: [{ parts: [{ text: `Sentence ${unique}.` }] }],
      generationConfig: { responseModalities: ["AUDIO"] },
    }),
  };
}

function embeddings(model: string, key: string): Kind {
  return {
    path: "/v1/embeddings",
    key,
    body: (unique) => ({ model, input: `text ${unique}`, encoding_format: "base64" }),
  };
}

type Received = { id: string; status: number } | null;

/** Sends one call; null when the reply was incomplete. */
function send(product: Product, agent: http.Agent, { path, key }: Kind, body: string): Promise<Received> {
  return new Promise((resolve) => {
    const request = http.request(
      `${product.url}${path}`,
      {
        method: "POST",
        agent,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      },
      (reply) => {
        reply.resume();
        reply.on("error", () => resolve(null));
        reply.on("close", () => resolve(null));
        // `end` is emitted only for a complete body.
        reply.on("end", () =>
          resolve(
            reply.complete
              ? { id: String(reply.headers["x-request-id"]), status: reply.statusCode ?? 0 }
              : null,
          ),
        );
      },
    );
    request.on("error", () => resolve(null));
    request.end(body);
  });
}

/** Sends calls until the server dies; collects the ID of each complete successful reply. */
async function callUntilDeath(
  product: Product,
  kind: Kind,
  caller: number,
  received: Set<string>,
  refused: Map<number, number>,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; ; i++) {
    const body = JSON.stringify(kind.body(`${caller} ${received.size} ${i}`));
    const reply = await send(product, agent, kind, body);
    if (reply === null) break;
    if (reply.status === 200) received.add(reply.id);
    else refused.set(reply.status, (refused.get(reply.status) ?? 0) + 1);
  }
  agent.destroy();
}

/** Sets up the instance with priced upstream models, a key without limits and one with a small budget. */
async function configure({ url }: Product, upstream: Upstream): Promise<Kind[]> {
  const cookie = await setUp(url);
  const ask = async (path: string, body: object): Promise<void> => {
    const reply = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
  const price = "1";
  const common = { keys: ["sk-upstream-0123456789abcdef"] };
  await ask("/api/models", {
    name: "upstream-embed",
    operation: "embeddings",
    prices: { input_per_million_tokens: price },
  });
  await ask("/api/models", {
    name: "upstream-speech",
    operation: "speech",
    prices: { input_per_million_tokens: price, output_per_million_seconds: price },
  });
  await ask("/api/channels", {
    ...common,
    name: "OpenAI-shaped",
    provider: "openai",
    base_url: `${upstream.origin}/v1`,
    models: [{ name: "upstream-embed", upstream_name: "embed.64" }],
  });
  await ask("/api/channels", {
    ...common,
    name: "Gemini-shaped",
    provider: "gemini",
    base_url: `${upstream.origin}/v1beta`,
    models: [{ name: "upstream-speech", upstream_name: "tts" }],
  });
  const key = await createKey(url, cookie, { name: "unlimited" });
  const budget = { total_usd: (SMALL_BUDGET / 1e9).toFixed(9) };
  const small = await createKey(url, cookie, { name: "small", budget });
  return [
    speech("patchbay-speech", key),
    ...Array.from({ length: 3 }, () => speech("upstream-speech", key)),
    ...Array.from({ length: 2 }, () => embeddings("patchbay-embed", key)),
    ...Array.from({ length: 4 }, () => embeddings("upstream-embed", key)),
    ...Array.from({ length: 2 }, () => embeddings("upstream-embed", small)),
  ];
}

interface UsageRow {
  request_id: string;
  key_id: string;
  user_id: string;
  state: string;
  status: number;
  cost_nano: number;
}

interface Balance {
  subject_kind: string;
  subject_id: string;
  period: string;
  spent: number;
  reserved: number;
}

function readLedger(dataDirectory: string) {
  const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
  const all = <T>(query: string) => database.prepare(query).all() as T[];
  const ledger = {
    rows: all<UsageRow>("select request_id, key_id, user_id, state, status, cost_nano from usage"),
    balances: all<Balance>("select subject_kind, subject_id, period, spent, reserved from balances"),
    sums: all<{ calls: number; cost: number }>("select sum(calls) calls, sum(cost_nano) cost from rollups"),
    small: all<{ id: string }>("select id from keys where name = 'small'"),
  };
  database.close();
  return ledger;
}

/** The cost of the rows by key and by user. */
function spentByRows(rows: readonly UsageRow[]): Map<string, number> {
  const spent = new Map<string, number>();
  for (const row of rows) {
    for (const subject of [row.key_id, row.user_id])
      spent.set(subject, (spent.get(subject) ?? 0) + row.cost_nano);
  }
  return spent;
}

test(`${KILLS} kills under load neither lose nor repeat the usage row of a complete reply`, {
  // A machine with other work takes ten seconds for some rounds; each has its own limit.
  timeout: KILLS * 15_000 + 60_000,
}, async () => {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-kill-"));
  const upstream = await startUpstream();
  const start = () =>
    startProduct({ dataDirectory, nodeAdapterOnly: true, env: { PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1" } });
  const received = new Set<string>();
  const refused = new Map<number, number>();
  let kinds: Kind[] = [];
  for (let round = 0; round < KILLS; round++) {
    const product = await start();
    if (round === 0) kinds = await configure(product, upstream);
    const before = received.size;
    // The speech worker needs most of a short run to start, so only some runs include speech.
    const present = round % 5 === 0 ? kinds : kinds.slice(1);
    const callers = present.map((kind, caller) => callUntilDeath(product, kind, caller, received, refused));
    const killAt = performance.now() + 20 + Math.random() * 180;
    const giveUpAt = performance.now() + 30_000;
    while (performance.now() < killAt || received.size < before + 10) {
      if (performance.now() > giveUpAt) throw new Error(`The server answers no call:\n${product.output()}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await product.kill();
    await Promise.all(callers);
  }
  // The server starts on the store that the last kill left.
  const survivor = await start();
  expect(await survivor.close()).toBe(0);
  await upstream.close();
  const { rows, balances, sums, small } = readLedger(dataDirectory);
  rmSync(dataDirectory, { recursive: true, force: true });

  const recorded = new Map<string, number>();
  for (const row of rows) recorded.set(row.request_id, (recorded.get(row.request_id) ?? 0) + 1);
  const lost = [...received].filter((id) => !recorded.has(id));
  const twice = [...recorded].filter(([, times]) => times > 1);
  console.log(
    `${KILLS} kills, ${received.size} replies received whole, ${lost.length} without a row, ${twice.length} recorded twice`,
  );
  expect(received.size).toBeGreaterThan(KILLS);
  expect(lost).toEqual([]);
  expect(twice).toEqual([]);
  // The next start settles calls that were in progress.
  expect(rows.filter((row) => row.state !== "settled")).toEqual([]);

  // Sums equal balances in every period; nothing stays reserved.
  const spent = spentByRows(rows);
  const totals = balances.filter((balance) => balance.period === "total");
  expect(totals.length).toBe(3);
  for (const { subject_kind, subject_id, spent: total } of totals) {
    expect([subject_kind, total]).toEqual([subject_kind, spent.get(subject_id) ?? 0]);
    for (const length of ["2026-11".length, "2026-11-20".length]) {
      const periods = balances.filter((one) => one.subject_id === subject_id && one.period.length === length);
      expect(periods.reduce((sum, one) => sum + one.spent, 0)).toBe(total);
    }
  }
  expect(balances.filter((balance) => balance.reserved !== 0)).toEqual([]);
  expect(sums).toEqual([{ calls: rows.length, cost: rows.reduce((sum, row) => sum + row.cost_nano, 0) }]);

  // The small budget was used up but not exceeded; nothing else was rejected.
  const spentOfSmall = spent.get(small[0]?.id ?? "") ?? 0;
  expect(spentOfSmall).toBeLessThanOrEqual(SMALL_BUDGET);
  expect([...refused.keys()].filter((status) => status !== 429)).toEqual([]);
  console.log(
    `spent ${spentOfSmall} of ${SMALL_BUDGET} nano-dollars, refused ${refused.get(429) ?? 0} times`,
  );
});
