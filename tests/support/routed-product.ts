import { randomUUID } from "node:crypto";
import http from "node:http";
import { expect } from "vitest";
import { createKey, type Product, type ProductOptions, setUp, startProduct } from "./product";
import { BASE_PATHS } from "./upstream/rig";
import { startUpstream, type Upstream } from "./upstream/server";

/** A reply as received. */
export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  // Tests read single fields of a reply.
  json: ReturnType<typeof JSON.parse>;
  /** False when the socket was destroyed before the body's own end. */
  isWhole: boolean;
  tookMs: number;
}

export interface Sent {
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Called with the first bytes of the body. */
  onBytes?: () => void;
  /** Default: a new socket. */
  agent?: http.Agent;
}

/** A row of `GET /api/usage`. */
export interface Row {
  request_id: string;
  /** `open` while the call runs. */
  state: "open" | "settled";
  channel_id: string | null;
  model: string;
  attempts: number;
  input_tokens: number;
  output_tokens: number;
  audio_ms: number;
  cost_usd: string;
  status: number;
  error: string | null;
  cached: boolean;
  estimated: boolean;
}

export interface RouteTarget {
  /** Default: `upstream`, the loopback upstream. */
  at?: { origin: string };
  /** The upstream's model name, with the injected failure. */
  as: string;
  provider?: string;
  [field: string]: unknown;
}

/** The product as a process, with channels to a loopback upstream. */
export interface RoutedProduct {
  product: Product;
  upstream: Upstream;
  cookie: string;
  key: string;
  /** A console API call; throws unless the status is 200. */
  console(path: string, body?: unknown, method?: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Changes settings on top of their newest version. */
  changeSettings(change: object): Promise<void>;
  newKey(fields?: Record<string, unknown>): Promise<string>;
  /** Creates a model with one channel per entry, in order of priority. Resolves to its name and the channel IDs. */
  route(
    operation: "speech" | "embeddings",
    targets: readonly RouteTarget[],
    model?: Record<string, unknown>,
  ): Promise<{ name: string; ids: string[] }>;
  send(path: string, body: unknown, sent?: Sent): Promise<Reply>;
  /** Usage rows of this model, newest first. */
  rows(model: string): Promise<Row[]>;
  /** Like `rows`; waits until there are `count` and none is open. */
  whenRows(model: string, count: number): Promise<Row[]>;
  /** Sends calls of the built-in embeddings, which must succeed: then the server has received what was sent before. */
  busy(calls: number): Promise<void>;
  close(): Promise<void>;
}

/** Sends one request. */
export function sendOver(
  base: string,
  path: string,
  body: unknown,
  key: string,
  sent: Sent = {},
): Promise<Reply> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${base}${path}`,
      {
        method: "POST",
        agent: sent.agent ?? false,
        ...(sent.signal ? { signal: sent.signal } : {}),
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-request-id": randomUUID(),
          ...sent.headers,
        },
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          sent.onBytes?.();
        });
        reply.on("error", () => {});
        reply.on("close", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            bytes,
            text,
            json: parsed(text),
            isWhole: reply.complete,
            tookMs: performance.now() - startedAt,
          });
        });
      },
    );
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let models = 0;

export async function startRouted(options: ProductOptions = {}): Promise<RoutedProduct> {
  const upstream = await startUpstream();
  const product = await startProduct({
    nodeAdapterOnly: true,
    ...options,
    env: { PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1", ...options.env },
  });
  const cookie = await setUp(product.url);
  const key = await createKey(product.url, cookie);

  const busyAgent = new http.Agent({ keepAlive: true, maxSockets: 8 });

  const routed: RoutedProduct = {
    product,
    upstream,
    cookie,
    key,

    async console(path, body, method = body === undefined ? "GET" : "POST") {
      const reply = await fetch(`${product.url}${path}`, {
        method,
        headers: { "content-type": "application/json", cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
      return JSON.parse(text).data;
    },

    async changeSettings(change) {
      const { version } = await routed.console("/api/settings");
      await routed.console("/api/settings", { ...change, version }, "PATCH");
    },

    newKey: (fields = {}) => createKey(product.url, cookie, fields),

    async route(operation, targets, model = {}) {
      models += 1;
      const name = `model-${models}`;
      await routed.console("/api/models", { name, operation, cacheable: false, batching: false, ...model });
      const ids: string[] = [];
      for (const [index, { at = upstream, as, provider = "openai", ...fields }] of targets.entries()) {
        const made = await routed.console("/api/channels", {
          name: `${name}-${index}`,
          provider,
          base_url: `${at.origin}${BASE_PATHS[provider] ?? ""}`,
          keys: ["sk-upstream-0123456789abcdef"],
          models: [{ name, upstream_name: as }],
          priority: index,
          ...fields,
        });
        ids.push(made.id);
      }
      return { name, ids };
    },

    send: (path, body, sent = {}) => sendOver(product.url, path, body, sent.key ?? key, sent),

    async rows(model) {
      const { items } = await routed.console(`/api/usage?limit=100&model=${encodeURIComponent(model)}`);
      return items;
    },

    async whenRows(model, count) {
      for (;;) {
        const rows = await routed.rows(model);
        if (rows.length >= count && rows.every(({ state }) => state === "settled")) return rows;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },

    async busy(calls) {
      const body = { model: "patchbay-embed", input: "a", encoding_format: "base64" };
      const headers = { "cache-control": "no-store" };
      const send = () => sendOver(product.url, "/v1/embeddings", body, key, { headers, agent: busyAgent });
      const replies = Array.from({ length: calls }, send);
      for (const { status } of await Promise.all(replies)) {
        if (status !== 200) throw new Error(`a good call was answered ${status}`);
      }
    },

    async close() {
      busyAgent.destroy();
      await product.close();
      await upstream.close();
    },
  };
  return routed;
}

/** Path and body of a speech call in each dialect. */
export function spoken(
  dialect: "gemini" | "openai",
  model: string,
  text = "The quick brown fox jumps over the lazy dog.",
): [path: string, body: unknown] {
  return dialect === "gemini"
    ? [
        `/v1beta/models/${model}:generateContent`,
        {
          contents: [{ parts: [{ text }] }],
          generationConfig: { responseModalities: ["AUDIO"] },
        },
      ]
    : ["/v1/audio/speech", { model, input: text, voice: "alloy", response_format: "pcm" }];
}

/** Expects the dialect's own error body; `code`: OpenAI's code or Gemini's status. */
export function expectFailure(
  dialect: "gemini" | "openai",
  reply: Reply,
  status: number,
  code?: string,
): void {
  expect(reply.status, reply.text.slice(0, 300)).toBe(status);
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(reply.isWhole).toBe(true);
  const { error } = reply.json;
  expect(error.message.length).toBeGreaterThan(10);
  if (dialect === "gemini") {
    expect(error.code).toBe(status);
    expect(error.status).toEqual(code ?? expect.stringMatching(/^[A-Z_]+$/));
  } else {
    expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
    if (code !== undefined) expect(error.code).toBe(code);
  }
}

/** The samples of a Gemini reply. */
export function samplesOf(reply: Reply): Buffer {
  return Buffer.from(reply.json.candidates[0].content.parts[0].inlineData.data, "base64");
}

/** Resolves when the condition is true; limited by the test's timeout. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
