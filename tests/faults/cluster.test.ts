import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER, startProduct } from "../support/product";
import { openWire, sendRaw } from "../support/raw-request";
import { type Reply, type RoutedProduct, startRouted } from "../support/routed-product";
import { geminiSpeech, openSpeech, STREAM_PATH } from "../support/speech-call";

/** A server of three processes on one port and one SQLite file. */

const PROCESSES = 3;
/** Throws in the process that receives SIGWINCH. */
const CRASH = new URL("../support/faults/on-signal.mjs", import.meta.url).href;

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted({
    env: {
      PATCHBAY_PROCESSES: String(PROCESSES),
      PATCHBAY_DRAIN_SECONDS: "25",
      NODE_OPTIONS: `--import=${CRASH}`,
    },
  });
  await untilInstances((pids) => pids.length === PROCESSES);
}, 120_000);
afterAll(() => routed?.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The process IDs in the list of instances, once they satisfy `matches`. */
async function untilInstances(matches: (pids: number[]) => boolean): Promise<number[]> {
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    const { items } = await routed.console("/api/instances");
    const pids = items.map(({ pid }: { pid: number }) => pid);
    if (matches(pids)) return pids;
    if (performance.now() > giveUpAt) throw new Error(`instances: ${pids}\n${routed.product.output()}`);
    await pause(100);
  }
}

/** The status of the readiness check; null when its connection was closed. */
function readiness(agent: http.Agent): Promise<number | null> {
  return new Promise((resolve) => {
    const request = http.get(`${routed.product.url}/api/health/ready`, { agent }, (reply) => {
      reply.resume().once("close", () => resolve(reply.statusCode ?? null));
    });
    request.once("error", () => resolve(null));
  });
}

let texts = 0;
/** One embeddings call, on a new connection unless `agent` keeps one open. */
function embed(model = "patchbay-embed", key = routed.key, agent?: http.Agent): Promise<Reply> {
  texts += 1;
  const body = { model, input: `text ${texts}`, encoding_format: "base64" };
  return routed.send("/v1/embeddings", body, agent ? { key, agent } : { key });
}

/** Sends calls from `callers` until `stop` is called; collects the request IDs of successes, and all failures. */
function load(callers: number, agentOf: () => http.Agent | undefined) {
  let isOver = false;
  const received: string[] = [];
  const failed: string[] = [];
  const ended = Promise.all(
    Array.from({ length: callers }, async () => {
      const agent = agentOf();
      while (!isOver) {
        const reply = await embed(undefined, undefined, agent).catch((error: unknown) => String(error));
        if (typeof reply === "string") failed.push(reply);
        else if (reply.status === 200 && reply.isWhole) received.push(String(reply.headers["x-request-id"]));
        else failed.push(`${reply.status} ${reply.text}`);
      }
      agent?.destroy();
    }),
  );
  return {
    received,
    failed,
    async stop() {
      isOver = true;
      await ended;
    },
  };
}

function recordedRequests(): Map<string, number> {
  const file = new Database(path.join(routed.product.dataDirectory, "patchbay.db"), { readonly: true });
  const rows = file.prepare("select request_id from usage").all() as { request_id: string }[];
  file.close();
  const recorded = new Map<string, number>();
  for (const { request_id: id } of rows) recorded.set(id, (recorded.get(id) ?? 0) + 1);
  return recorded;
}

test("all processes answer from one pool of engines, and one scrape has the metrics of all", async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => embed()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const spoken = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      routed.send("/v1/audio/speech", {
        model: "patchbay-speech",
        voice: "alloy",
        input: `Sentence ${at}.`,
        response_format: "pcm",
      }),
    ),
  );
  for (const { status, bytes } of spoken) {
    expect(status).toBe(200);
    expect(bytes.length).toBeGreaterThan(10_000);
  }
  const metrics = await (await fetch(`${routed.product.url}/metrics`)).text();
  for (const name of [1, 2, 3, "engines"]) expect(metrics).toContain(`process="${name}"`);
  expect(routed.product.output()).not.toContain("second_server");
  expect(routed.product.output().match(/is ready at/g)).toHaveLength(1);
});

test("a model, a key and its revocation are known to all processes within a second", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
  const key = await routed.newKey({ name: "revoked" });
  await pause(1_000);
  const known = await Promise.all(Array.from({ length: 12 }, () => embed(name, key)));
  expect(known.map(({ status }) => status)).toEqual(known.map(() => 200));
  const { items } = await routed.console("/api/keys?limit=100");
  const { id } = items.find((one: { name: string }) => one.name === "revoked");
  await routed.console(`/api/keys/${id}`, undefined, "DELETE");
  await pause(1_000);
  const refused = await Promise.all(Array.from({ length: 12 }, () => embed(name, key)));
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
});

test("a request with an Idempotency-Key runs once over all processes", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
  await pause(1_000);
  const before = routed.upstream.ledger.length;
  const send = (input: string) =>
    routed.send("/v1/embeddings", { model: name, input }, { headers: { "idempotency-key": "order-17" } });
  const together = await Promise.all(Array.from({ length: 9 }, () => send("once")));
  const later = await Promise.all(Array.from({ length: 9 }, () => send("once")));
  const replies = [...together, ...later];
  expect(replies.map(({ status, text }) => [status, text])).toEqual(
    replies.map(() => [200, together[0]?.text]),
  );
  expect(routed.upstream.ledger.length - before).toBe(1);
  const rows = await routed.whenRows(name, replies.length);
  expect(rows.filter(({ cached }) => !cached)).toHaveLength(1);
  const different = await Promise.all(Array.from({ length: 6 }, () => send("another")));
  expect(different.map(({ status }) => status)).toEqual(different.map(() => 400));
});

test("the event streams of all processes report a call that one process answered", async () => {
  // Events of earlier calls are sent within this time.
  await pause(1_500);
  const pages = await Promise.all(Array.from({ length: 2 * PROCESSES }, () => openWire(routed.product.port)));
  for (const page of pages) {
    page.send(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nCookie: ${routed.cookie}\r\n\r\n`);
    await page.until("event: hello");
  }
  expect((await embed()).status).toBe(200);
  for (const page of pages) expect(await page.until('"usage"')).toContain("event: changed");
  for (const page of pages) page.destroy();
});

test("a budget for ten admits ten of ninety concurrent calls over all processes", async () => {
  const prices = { input_per_million_tokens: "1" };
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }], { prices });
  // Ten tokens cost 10,000 nano-dollars; a reservation is 10 % higher.
  const body = { model: name, input: "hello world hello world hello world hello world hello world" };
  const key = await routed.newKey({ name: "for ten", budget: { total_usd: "0.000110000" } });
  await pause(1_000);
  const replies = await Promise.all(
    Array.from({ length: 90 }, () => routed.send("/v1/embeddings", body, { key })),
  );
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ 200: 10, 429: 80 });
}, 30_000);

test("all processes together admit no more requests than a key's rate limit allows", async () => {
  const key = await routed.newKey({ name: "nine a minute", rpm: 9 });
  const replies = await Promise.all(Array.from({ length: 40 }, () => embed(undefined, key)));
  const admitted = replies.filter(({ status }) => status === 200).length;
  expect(admitted).toBeGreaterThanOrEqual(3);
  expect(admitted).toBeLessThanOrEqual(9);
}, 30_000);

test("a stuck process is killed and restarted, and the connection that it had not accepted is closed", async () => {
  const pids = await untilInstances((found) => found.length === PROCESSES);
  const stuck = pids[1] ?? 0;
  process.kill(stuck, "SIGSTOP");
  let answered = 0;
  const send = async () => {
    await embed();
    answered += 1;
  };
  const replies = Array.from({ length: 12 }, send);
  await expect.poll(() => answered).toBe(11);
  // The watchdog kills the stuck process after 30 to 35 seconds.
  const outcomes = await Promise.allSettled(replies);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(11);
  const after = await untilInstances((found) => found.length === PROCESSES && !found.includes(stuck));
  expect(after.filter((pid) => pids.includes(pid))).toHaveLength(PROCESSES - 1);
  const reports = routed.product
    .output()
    .split("\n")
    .filter((line) => line.includes("process_stuck"));
  expect(reports).toEqual([expect.stringContaining(String(stuck))]);
}, 90_000);

test("a process that is killed under load is restarted, and no entry of a complete reply is lost or repeated", async () => {
  const before = await untilInstances((pids) => pids.length === PROCESSES);
  const calls = load(8, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  await pause(1_000);
  process.kill(before[1] ?? 0, "SIGKILL");
  const after = await untilInstances((pids) => pids.length === PROCESSES && !pids.includes(before[1] ?? 0));
  expect(after.filter((pid) => before.includes(pid))).toHaveLength(PROCESSES - 1);
  await calls.stop();
  expect(routed.product.output()).toContain("process_exited");
  // Only calls on connections of the killed process may fail.
  expect(calls.failed.filter((failure) => !/ECONNRESET|socket hang up|^200 /.test(failure))).toEqual([]);
  const recorded = recordedRequests();
  expect(calls.received.length).toBeGreaterThan(50);
  expect(calls.received.filter((id) => recorded.get(id) !== 1)).toEqual([]);
}, 90_000);

/** The process that runs the only open call. */
async function pidOfOpenCall(): Promise<number> {
  const file = new Database(path.join(routed.product.dataDirectory, "patchbay.db"), { readonly: true });
  const rows = file.prepare("select owner from usage where state = 'open'").all() as { owner: string }[];
  file.close();
  const { items } = await routed.console("/api/instances");
  return items.find(({ id }: { id: string }) => id === rows[0]?.owner).pid;
}

test("a process that crashes fails readiness and is replaced, while new connections find the server ready", async () => {
  const text = geminiSpeech("The last train leaves at nine. ".repeat(40));
  // The call's connection stays open while its process drains.
  const call = await openSpeech(routed.product.port, routed.key, STREAM_PATH, text);
  await call.until("inlineData");
  call.pause();
  const crashed = await pidOfOpenCall();
  // Connections are given to the processes in turn.
  const check = () => sendRaw(routed.product.url, { method: "GET", path: "/api/health/ready" });
  const statuses = async () => {
    const replies = await Promise.all(Array.from({ length: 3 * PROCESSES }, check));
    return new Set(replies.map(({ status }) => status));
  };
  process.kill(crashed, "SIGWINCH");
  await expect.poll(() => routed.product.output()).toContain('"draining"');
  expect(await statuses()).toEqual(new Set([200]));
  // The replacement starts without waiting for this call; a crashed process has 30 s to finish its calls.
  await expect.poll(() => routed.product.output()).toContain('"msg":"process_failed"');
  call.send("GET /api/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n");
  call.resume();
  expect((await call.ended).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 503"]);
  await untilInstances((pids) => pids.length === PROCESSES && !pids.includes(crashed));
  expect(await statuses()).toEqual(new Set([200]));
  expect(routed.product.output()).toContain("fault-by-exception");
}, 90_000);

test("a repeat with the Idempotency-Key runs on another process when the process of the first request is killed", async () => {
  const prices = { input_per_million_tokens: "1" };
  const { name } = await routed.route("embeddings", [{ as: "embed.8--slow-3000" }], { prices });
  await pause(1_000);
  const calls = routed.upstream.ledger.length;
  const body = { model: name, input: "a text" };
  const send = () => routed.send("/v1/embeddings", body, { headers: { "idempotency-key": "order-18" } });
  const first = send().then(
    ({ status }) => status,
    () => "lost",
  );
  await expect.poll(() => routed.upstream.ledger.length).toBe(calls + 1);
  const pid = await pidOfOpenCall();
  const repeats = [send(), send()];
  process.kill(pid, "SIGKILL");
  expect(await first).toBe("lost");
  const replies = await Promise.all(repeats.map((repeat) => repeat.catch(() => send())));
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(routed.upstream.ledger.length).toBe(calls + 2);
}, 30_000);

test("SIGHUP, also during an earlier SIGHUP, replaces every process without a failed call", async () => {
  const before = await untilInstances((pids) => pids.length === PROCESSES);
  const calls = load(4, () => undefined);
  routed.product.process.kill("SIGHUP");
  const first = await untilInstances((pids) => pids.some((pid) => !before.includes(pid)));
  routed.product.process.kill("SIGHUP");
  const old = [...before, ...first];
  await untilInstances((pids) => pids.length === PROCESSES && pids.every((pid) => !old.includes(pid)));
  await calls.stop();
  expect(calls.failed).toEqual([]);
  expect(calls.received.length).toBeGreaterThan(50);
}, 120_000);

test("SIGHUP leaves the server ready, also on connections to a process that drains", async () => {
  const before = await untilInstances((pids) => pids.length === PROCESSES);
  let isOver = false;
  const statuses = new Set<number>();
  // Connections are given to the processes in turn.
  const checks = before.map(async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const status = await readiness(agent);
      if (status !== null) statuses.add(status);
      await pause(20);
    }
    agent.destroy();
  });
  routed.product.process.kill("SIGHUP");
  await untilInstances((pids) => pids.length === PROCESSES && pids.every((pid) => !before.includes(pid)));
  isOver = true;
  await Promise.all(checks);
  expect([...statuses]).toEqual([200]);
}, 120_000);

test("SIGTERM drains all processes: calls in progress finish, and all exit", async () => {
  const { name } = await routed.route("speech", [{ as: "tts--slow-3000" }]);
  // All processes know the model within a second.
  await pause(1_000);
  const pids = await untilInstances((found) => found.length === PROCESSES);
  const calls = ["patchbay-speech", name].map((model) =>
    routed.send("/v1/audio/speech", {
      model,
      voice: "alloy",
      // Some two seconds of work of the built-in engine; a busy machine needs much longer.
      input: "The kettle is on, and the bread is nearly done. ".repeat(8),
      response_format: "pcm",
    }),
  );
  await pause(300);
  const exited = new Promise((resolve) => routed.product.process.once("exit", resolve));
  routed.product.process.kill("SIGTERM");
  for (const { status, isWhole } of await Promise.all(calls)) expect([status, isWhole]).toEqual([200, true]);
  expect(await exited).toBe(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
}, 60_000);

test("every process serves the console's pages", async () => {
  const product = await startProduct({ env: { PATCHBAY_PROCESSES: "2" } });
  try {
    // Printed when both serve.
    while (!product.output().includes("is ready at")) await pause(50);
    const pages = await Promise.all(
      Array.from({ length: 8 }, () => sendRaw(product.url, { method: "GET", path: "/setup" })),
    );
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    for (const { text } of pages) expect(text).toContain("<html");
    // Both processes accept the setup token that one of them generated.
    const token = readFileSync(path.join(product.dataDirectory, "setup-token"), "utf8").trim();
    const setups = await Promise.all(
      Array.from({ length: 4 }, () =>
        sendRaw(product.url, {
          path: "/api/setup",
          headers: { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" },
          body: JSON.stringify({ ...OWNER, setup_token: token }),
        }),
      ),
    );
    expect(setups.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  } finally {
    expect(await product.close()).toBe(0);
  }
}, 90_000);

test("an invalid setting stops all processes with one line", async () => {
  await expect(
    startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_PROCESSES: "2", PATCHBAY_SECRET: "short" } }),
  ).rejects.toThrow(/^The server stopped:\nPatchbay cannot start\. PATCHBAY_SECRET[^\n]*\n$/);
  await expect(startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_PROCESSES: "0" } })).rejects.toThrow(
    "PATCHBAY_PROCESSES: must be auto or a whole number from 1 to 99",
  );
}, 60_000);
