import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionsWithin, parseOpenFilesLimit } from "../../lib/server/process/connection-cap";
import { openWire, readReply, type Wire } from "../support/raw-request";
import {
  expectFailure,
  type Reply,
  type RoutedProduct,
  sendOver,
  spoken,
  startRouted,
} from "../support/routed-product";

/** A process that runs out of file descriptors answers 503, serves open connections, and recovers. */

/** Loading the modules at start needs about 200 descriptors. */
const OPEN_FILES = 256;
const CALLERS = 400;
let routed: RoutedProduct;

beforeAll(async () => {
  routed = await startRouted({ openFiles: OPEN_FILES });
});
afterAll(() => routed?.close());

const embedding = { model: "patchbay-embed", input: "a few words", dimensions: 8 };

/**
 * Every answer is 200 or 503. A connection that finds no descriptor for its refusal is closed without an answer: 120 to
 * 163 of 400 were. Fails when fewer than a tenth are answered.
 */
function expectServedOrRefused(replies: readonly (Reply | null)[]): { served: number; refused: number } {
  const answered = replies.filter((reply) => reply !== null);
  // On a slow machine, three quarters of the connections are closed.
  expect(answered.length).toBeGreaterThanOrEqual(replies.length / 10);
  for (const { status, headers, text } of answered) {
    expect([200, 503], text.slice(0, 300)).toContain(status);
    if (status === 503) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  }
  const served = answered.filter(({ status }) => status === 200).length;
  return { served, refused: answered.length - served };
}

/** Null: the connection was closed without an answer. */
const call = (path: string, body: unknown) =>
  sendOver(routed.product.url, path, body, routed.key).catch(() => null);

async function untilServed(path: string, body: unknown): Promise<void> {
  await expect.poll(async () => (await call(path, body))?.status, { timeout: 20_000 }).toBe(200);
}

describe("a server with few file descriptors", () => {
  test("answers many concurrent callers with 200 or 503, closes other connections, and answers later ones with 200", {
    timeout: 60_000,
  }, async () => {
    const replies = await Promise.all(
      Array.from({ length: CALLERS }, () => call("/v1/embeddings", embedding)),
    );
    const { served } = expectServedOrRefused(replies);
    expect(served).toBeGreaterThan(0);
    await untilServed("/v1/embeddings", embedding);
    expect(routed.product.process.exitCode).toBeNull();
  });

  test("answers callers above its connection cap in their dialect, and stays healthy", {
    timeout: 60_000,
  }, async () => {
    const idle: Wire[] = [];
    for (let i = 0; i < OPEN_FILES; i++) {
      const wire = await openWire(routed.product.port).catch(() => null);
      if (wire !== null) idle.push(wire);
    }
    const request = async (path: string) => {
      const wire = await openWire(routed.product.port);
      wire.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      return readReply(await wire.ended);
    };
    // Idle connections hold the few slots for rejected connections for two seconds.
    await expect.poll(async () => (await request("/v1/models")).status, { timeout: 8_000 }).toBe(503);
    // Without a key: the rejection precedes authentication.
    const reply = await request("/v1/models");
    expect(reply.json).toMatchObject({ error: { code: "overloaded", type: "api_error" } });
    expect(reply.headers["retry-after"]).toBe("1");
    expect((await request("/api/health/live")).status).toBe(200);
    for (const wire of idle) wire.destroy();
    await untilServed("/v1/embeddings", embedding);
  });

  test("synthesizes and encodes again once descriptors are free, even after engine failures", {
    timeout: 120_000,
  }, async () => {
    const mp3 = { model: "patchbay-speech", input: "One, two.", voice: "alloy", response_format: "mp3" };
    const [path, body] = spoken("gemini", "patchbay-speech", "Bonjour, tout le monde.");
    const replies = await Promise.all(
      Array.from({ length: CALLERS / 4 }, (_, i) =>
        i % 2 === 0 ? call("/v1/audio/speech", mp3) : call(path, body),
      ),
    );
    expectServedOrRefused(replies);
    await untilServed("/v1/audio/speech", mp3);
    await untilServed(path, body);
  });

  test("keeps the circuit closed without a socket for the upstream", { timeout: 60_000 }, async () => {
    const { name, ids } = await routed.route("embeddings", [{ as: "embed.8--slow-300" }]);
    const replies = await Promise.all(
      Array.from({ length: CALLERS }, () => call("/v1/embeddings", { model: name, input: "a" })),
    );
    const { served } = expectServedOrRefused(replies);
    expect(served).toBeGreaterThan(0);
    const { items } = await routed.console("/api/channels");
    const channel = items.find(({ id }: { id: string }) => id === ids[0]);
    expect(channel.health.state).toBe("closed");
    await untilServed("/v1/embeddings", { model: name, input: "a" });
  });
});

describe("a server without free file descriptors", () => {
  let starved: RoutedProduct;
  beforeAll(async () => {
    starved = await startRouted();
  });
  afterAll(() => starved?.close());

  /** Sets the soft limit of the running server (prlimit(1)). Below the number of open files, no file can be opened. */
  const allowFiles = (count: number) => {
    const { status, stderr } = spawnSync("prlimit", [
      `--pid=${starved.product.process.pid}`,
      `--nofile=${count}:`,
    ]);
    if (status !== 0) throw new Error(`prlimit: ${stderr}`);
  };

  test("answers 503 to requests that need a descriptor, serves other requests, and recovers", {
    timeout: 60_000,
  }, async () => {
    const { name, ids } = await starved.route("embeddings", [{ as: "embed.8" }]);
    // One connection that is open before the shortage.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = (path: string, body: unknown) =>
      sendOver(starved.product.url, path, body, starved.key, { agent });
    const upstream = { model: name, input: "a" };
    const [speechPath, speech] = spoken("openai", "patchbay-speech", "One, two.");
    const mp3 = { ...(speech as object), response_format: "mp3" };
    const unknown = await send("/v1/embeddings", { model: "unknown", input: "x" });
    expect(unknown.status).toBe(404);

    allowFiles(8);
    expect((await send("/v1/embeddings", embedding)).status).toBe(200);
    for (const [path, body] of [
      ["/v1/embeddings", upstream],
      [speechPath, speech],
      [speechPath, mp3],
    ] as const) {
      const reply = await send(path, body);
      expectFailure("openai", reply, 503, "overloaded");
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
    }

    allowFiles(1_024);
    for (const [path, body] of [
      ["/v1/embeddings", upstream],
      [speechPath, speech],
      [speechPath, mp3],
    ] as const)
      expect((await send(path, body)).status, path).toBe(200);
    agent.destroy();
    const { items } = await starved.console("/api/channels");
    const channel = items.find(({ id }: { id: string }) => id === ids[0]);
    expect(channel.health.state).toBe("closed");
    expect((await starved.rows(name)).map(({ status }) => status)).toEqual([200, 503]);
  });
});

/** The system's limit for connections that wait to be accepted. */
const SYSTEM_QUEUE = Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
/** More than Node's default queue of 511. */
const BURST = Math.min(1_000, SYSTEM_QUEUE);

describe("a server that is busy", () => {
  let busy: RoutedProduct;
  beforeAll(async () => {
    busy = await startRouted();
  });
  afterAll(() => busy?.close());

  test(`lets ${BURST} new connections wait, and answers them all once it is free`, {
    timeout: 60_000,
  }, async () => {
    const { port, process: server } = busy.product;
    // A stopped process accepts nothing, so each connection that opens waits in the queue.
    server.kill("SIGSTOP");
    const wires = await Promise.race([
      Promise.all(Array.from({ length: BURST }, () => openWire(port))),
      delay(10_000, []),
    ]).finally(() => server.kill("SIGCONT"));
    expect(wires).toHaveLength(BURST);
    const replies = wires.map(async (wire) => {
      wire.send("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      return readReply(await wire.ended).status;
    });
    expect(new Set(await Promise.all(replies))).toEqual(new Set([200]));
  });
});

test("the connection cap follows from the process's limit and the files already open", () => {
  const limits = "Limit                     Soft Limit           Hard Limit           Units     \n";
  expect(
    parseOpenFilesLimit(`${limits}Max open files            1024                 4096                 files`),
  ).toBe(1_024);
  expect(
    parseOpenFilesLimit(`${limits}Max open files            unlimited            unlimited            files`),
  ).toBe(null);
  expect(connectionsWithin(1_024, 60)).toBe(458);
  expect(connectionsWithin(64, 60)).toBe(8);
});
