import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { ConsoleServices } from "../../lib/console/context";
import { DEFAULT_LIMITS } from "../../lib/contracts/limits";
import { checkHead } from "../../lib/http/core/edge-guard";
import type { Handler, Inbound, Outbound } from "../../lib/http/core/exchange";
import { createNextAdapter } from "../../lib/http/next/adapter";
import { NodeAdapter } from "../../lib/http/node/adapter";
import { expectDocumented } from "./expect-documented";
import { SYSTEM_CLOCK } from "./factories";

/**
 * Runs every gateway call of the route tests through both adapters too: they must pass the same request to the handler
 * and the same reply to the caller. The handler runs only once, so that a call counts once.
 * (two-adapters.test.ts compares whole processes.)
 */

/** Headers of the connection and its framing. */
const OWN_HEADERS = new Set([
  "host",
  "connection",
  "keep-alive",
  "date",
  "transfer-encoding",
  "content-length",
]);
const MAX_BYTES = 64 * 1024 * 1024;
const clock = SYSTEM_CLOCK;

export interface Sent {
  method: string;
  path: string;
  query: string;
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

interface Seen extends Omit<Sent, "headers" | "body"> {
  headers: Record<string, string>;
  body: string;
}

interface Passage {
  /** What the adapter passed to the handler. */
  request: Seen;
  reply: { status: number; headers: Record<string, string>; body: string };
}

function plain(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.has(name)));
}

/** A handler that records the request and returns a given reply. */
function replay(reply: Outbound): { handler: Handler; seen(): Seen } {
  let seen: Seen | null = null;
  const handler = async (request: Inbound): Promise<Outbound> => {
    const body = request.method === "GET" ? new Uint8Array(0) : await request.readBody(MAX_BYTES);
    const { method, path, query, headers } = request;
    seen = { method, path, query, headers: plain(headers), body: Buffer.from(body).toString("latin1") };
    return { ...reply, headers: { ...reply.headers } };
  };
  return {
    handler,
    seen() {
      if (seen === null) throw new Error("the harness did not ask the handler");
      return seen;
    },
  };
}

let current: Handler | null = null;
let listening: Promise<http.Server> | null = null;

function nodeServer(): Promise<http.Server> {
  const start = async () => {
    const handler: Handler = (request) => {
      if (current === null) throw new Error("no call is under way");
      return current(request);
    };
    const fail = (error: unknown) => {
      throw error;
    };
    const harness = new NodeAdapter({
      handler,
      clock,
      limits: DEFAULT_LIMITS,
      isDraining: () => false,
      onBroken: fail,
    });
    const peer = { address: "127.0.0.1", isLocal: true, isSecure: false };
    const server = http.createServer((message, response) => {
      const { method = "GET", url: target = "", httpVersion, rawHeaders } = message;
      void harness.handle(
        message,
        response,
        checkHead({ method, target, httpVersion, rawHeaders }),
        peer,
        "req-1",
      );
    });
    // Closed with the process, which runs more than one test file.
    server.unref();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  };
  listening ??= start();
  return listening;
}

const target = (sent: Sent) => `${sent.path}${sent.query === "" ? "" : `?${sent.query}`}`;

async function throughNode(sent: Sent, reply: Outbound): Promise<Passage> {
  const { port } = (await nodeServer()).address() as AddressInfo;
  const { handler, seen } = replay(reply);
  current = handler;
  const isBare = sent.method === "GET";
  const outgoing = http.request({
    port,
    host: "127.0.0.1",
    method: sent.method,
    path: target(sent),
    agent: false,
    headers: {
      ...Object.fromEntries(sent.headers),
      ...(isBare ? {} : { "content-length": String(sent.body.length) }),
    },
  });
  outgoing.end(isBare ? undefined : sent.body);
  // The event's only argument is the reply.
  const [answer] = (await once(outgoing, "response")) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    request: seen(),
    reply: {
      status: answer.statusCode ?? 0,
      headers: plain(headers),
      body: Buffer.concat(chunks).toString("latin1"),
    },
  };
}

async function throughNext(sent: Sent, reply: Outbound): Promise<Passage> {
  const { handler, seen } = replay(reply);
  // The adapter reads only limits and clock.
  const services = { instance: {}, clock } as unknown as ConsoleServices;
  const request = new Request(`http://localhost${target(sent)}`, {
    method: sent.method,
    headers: Object.fromEntries(sent.headers),
    ...(sent.method === "GET" ? {} : { body: Buffer.from(sent.body) }),
  });
  const answer = await createNextAdapter(handler, async () => services)(request);
  return {
    request: seen(),
    reply: {
      status: answer.status,
      headers: plain(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()).toString("latin1"),
    },
  };
}

/** Calls are compared one after the other: the server handles one handler at a time. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Expects that both adapters pass the same request to the handler and the same reply to the caller, and that the reply
 * matches the OpenAPI document. `reply`: with its whole body.
 */
export function expectBothAdapters(sent: Sent, reply: Outbound & { body: Uint8Array | null }): Promise<void> {
  const run = async () => {
    const node = await throughNode(sent, reply);
    const next = await throughNext(sent, reply);
    const { method, path, query } = sent;
    expect(node).toEqual(next);
    const text = Buffer.from(reply.body ?? []).toString("utf8");
    expectDocumented(sent, { ...reply, text });
    expect(node.request).toMatchObject({ method, path, query });
    expect(node.request.body).toBe(sent.method === "GET" ? "" : Buffer.from(sent.body).toString("latin1"));
    expect(node.reply.status).toBe(reply.status);
    expect(node.reply.body).toBe(Buffer.from(reply.body ?? []).toString("latin1"));
  };
  const mine = turn.then(run);
  turn = mine.catch(() => undefined);
  return mine;
}
