import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { setUp, startProduct } from "../support/product";
import { type RoutedProduct, spoken, startRouted, until } from "../support/routed-product";

/** Traces and metrics as a collector receives them over OTLP/HTTP (JSON). */

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [
        key,
        value.stringValue ?? value.doubleValue ?? value.boolValue ?? Number(value.intValue),
      ]),
    ),
  );
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: Attributes,
  status: z.object({ code: z.number().optional() }),
});
const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});
type SpanReceived = z.infer<typeof Span>;
const Point = z.object({ asInt: z.coerce.number().optional(), asDouble: z.number().optional() });
const Distribution = z.object({ attributes: Attributes, explicitBounds: z.array(z.number()) });
const Metric = z.object({
  name: z.string(),
  sum: z.object({ dataPoints: z.array(Point) }).optional(),
  histogram: z.object({ dataPoints: z.array(Distribution) }).optional(),
});
const MetricExport = z.object({
  resourceMetrics: z.array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(Metric) })) })),
});

const SERVER = 2;
const CLIENT = 3;
const FAILED = 2;
const TEXT = "The quick brown fox keeps a secret.";

let collector: Server;
let endpoint: string;
let routed: RoutedProduct;
const spans: SpanReceived[] = [];
const services = new Set<unknown>();
/** The latest value of each counter. */
const counters = new Map<string, number>();
/** The latest points of each histogram. */
const histograms = new Map<string, z.infer<typeof Distribution>[]>();
let received = "";

beforeAll(async () => {
  collector = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    received += text;
    if (request.url === "/v1/traces")
      for (const { resource, scopeSpans } of Traces.parse(JSON.parse(text)).resourceSpans) {
        services.add(resource.attributes["service.name"]);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
    if (request.url === "/v1/metrics")
      for (const { scopeMetrics } of MetricExport.parse(JSON.parse(text)).resourceMetrics)
        for (const { name, sum, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
          for (const { asInt, asDouble } of sum?.dataPoints ?? []) counters.set(name, asInt ?? asDouble ?? 0);
          if (histogram !== undefined) histograms.set(name, histogram.dataPoints);
        }
    reply.setHeader("content-type", "application/json");
    reply.end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const address = collector.address();
  endpoint = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  routed = await startRouted({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
    },
  });
});
afterAll(async () => {
  await routed?.close();
  collector?.close();
});

async function spansOf(requestId: string): Promise<{ server: SpanReceived; attempts: SpanReceived[] }> {
  const find = () => spans.find((span) => span.attributes["patchbay.request_id"] === requestId);
  await until(() => find() !== undefined);
  const server = find();
  if (server === undefined) throw new Error("unreachable");
  return { server, attempts: spans.filter((span) => span.parentSpanId === server.spanId) };
}

describe("a request that fails over", () => {
  const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  let server: SpanReceived;
  let attempts: SpanReceived[];
  let name: string;

  beforeAll(async () => {
    ({ name } = await routed.route("speech", [{ as: "tts--status-500" }, { as: "tts" }]));
    const traceparent = `00-${parent.traceId}-${parent.spanId}-01`;
    const headers = { "x-request-id": "trace-1", traceparent, tracestate: "vendor=private" };
    const reply = await routed.send(...spoken("openai", name, TEXT), { headers });
    expect(reply.status, reply.text.slice(0, 200)).toBe(200);
    ({ server, attempts } = await spansOf("trace-1"));
  });

  test("continues the caller's trace, with one span per attempt", () => {
    expect(server).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId, kind: SERVER });
    expect(attempts).toHaveLength(2);
    for (const attempt of attempts) expect(attempt).toMatchObject({ traceId: parent.traceId, kind: CLIENT });
  });

  test("sends each upstream only the span of its attempt, and no other trace data of the caller", () => {
    const calls = routed.upstream.ledger.filter(({ model }) => model.startsWith("tts"));
    expect(calls.map(({ headers }) => headers.traceparent)).toEqual(
      attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
    for (const { headers } of calls) expect(headers.tracestate).toBeUndefined();
  });

  test("names provider, model, channel, status and error", () => {
    const [first, second] = attempts;
    expect(server.name).toBe(`speech ${name}`);
    expect(server.attributes).toMatchObject({
      "gen_ai.operation.name": "speech",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": name,
      "gen_ai.response.model": "tts",
      "http.response.status_code": 200,
      "patchbay.attempts": 2,
    });
    expect(first?.name).toBe("speech tts--status-500");
    expect(first?.attributes).toMatchObject({
      "error.type": "upstream_error",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "tts--status-500",
      "http.response.status_code": 500,
      "patchbay.channel": `${name}-0`,
    });
    expect(first?.attributes["gen_ai.response.model"]).toBeUndefined();
    expect(first?.status.code).toBe(FAILED);
    expect(second?.name).toBe("speech tts");
    expect(second?.attributes).toMatchObject({
      "gen_ai.request.model": "tts",
      "gen_ai.response.model": "tts",
      "patchbay.channel": `${name}-1`,
    });
    expect(second?.attributes["error.type"]).toBeUndefined();
  });

  test("starts each attempt after the request, and ends it after its start", () => {
    for (const attempt of attempts) {
      expect(BigInt(attempt.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(server.startTimeUnixNano));
      expect(BigInt(attempt.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(attempt.startTimeUnixNano));
    }
  });

  test("contains no prompt, key or tracestate of the caller", () => {
    for (const secret of [TEXT, "keeps a secret", routed.key, "sk-upstream", "vendor=private"])
      expect(received).not.toContain(secret);
  });
});

test("an invalid traceparent of the caller starts a new trace", async () => {
  const headers = { "x-request-id": "trace-2", traceparent: "00-zz-zz-01" };
  const body = { model: "patchbay-embed", input: "a" };
  expect((await routed.send("/v1/embeddings", body, { headers })).status).toBe(200);
  const { server } = await spansOf("trace-2");
  expect(server.parentSpanId ?? "").toBe("");
  expect(server.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
});

test("a span that the caller does not sample is passed on and not exported", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
  const traceId = "1bf7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` };
  expect((await routed.send("/v1/embeddings", { model: name, input: "a" }, { headers })).status).toBe(200);
  const sent = routed.upstream.ledger.at(-1)?.headers.traceparent;
  expect(sent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  await routed.send(
    "/v1/embeddings",
    { model: "patchbay-embed", input: "b" },
    { headers: { "x-request-id": "after" } },
  );
  await spansOf("after");
  expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
});

test("a refused request is a failed span", async () => {
  const traceId = "2cf7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  expect(
    (await routed.send("/v1/embeddings", { model: "no-such-model", input: "a" }, { headers })).status,
  ).toBe(404);
  await until(() => spans.some((span) => span.traceId === traceId));
  const span = spans.find((one) => one.traceId === traceId);
  expect(span?.attributes).toMatchObject({
    "gen_ai.provider.name": "patchbay",
    "http.response.status_code": 404,
    "error.type": "model_not_found",
  });
});

test("a Gemini channel has the provider name of the semantic conventions", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8", provider: "gemini" }]);
  const headers = { "x-request-id": "trace-gemini" };
  expect((await routed.send("/v1/embeddings", { model: name, input: "a" }, { headers })).status).toBe(200);
  const { server, attempts } = await spansOf("trace-gemini");
  expect([server, ...attempts].map((span) => span.attributes["gen_ai.provider.name"])).toEqual([
    "gcp.gemini",
    "gcp.gemini",
  ]);
});

test("a call answered from the cache has no upstream model", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }], { cacheable: true });
  const body = { model: name, input: "twice" };
  for (const id of ["trace-fresh", "trace-cached"])
    expect((await routed.send("/v1/embeddings", body, { headers: { "x-request-id": id } })).status).toBe(200);
  const { server } = await spansOf("trace-cached");
  expect(server.attributes).toMatchObject({ "patchbay.cached": true, "gen_ai.provider.name": "patchbay" });
  expect(server.attributes["gen_ai.response.model"]).toBeUndefined();
});

test("the duration of a call has the attributes and buckets of the semantic conventions", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8--status-500" }, { as: "embed.8" }]);
  const { name: failing } = await routed.route("embeddings", [{ as: "embed.8--status-500" }]);
  for (const model of [name, failing]) await routed.send("/v1/embeddings", { model, input: "measured" });
  const pointOf = (model: string) =>
    histograms
      .get("gen_ai.server.request.duration")
      ?.find(({ attributes }) => attributes["gen_ai.request.model"] === model);
  await until(() => pointOf(name) !== undefined && pointOf(failing) !== undefined);
  expect(pointOf(name)?.attributes).toEqual({
    "gen_ai.operation.name": "embeddings",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": name,
    "gen_ai.response.model": "embed.8",
    "http.response.status_code": 200,
    "patchbay.channel": `${name}-1`,
  });
  expect(pointOf(name)?.explicitBounds.slice(0, 2)).toEqual([0.01, 0.02]);
  expect(pointOf(failing)?.attributes).toMatchObject({
    "error.type": "upstream_error",
    "gen_ai.provider.name": "openai",
  });
  expect(pointOf(failing)?.attributes["gen_ai.response.model"]).toBeUndefined();
});

test("durations, counters and the name of the service reach the collector", async () => {
  await until(() => received.includes("gen_ai.server.request.duration"));
  expect([...services]).toEqual(["patchbay"]);
  const before = counters.get("patchbay.usage_rows") ?? 0;
  for (const input of ["c", "d"])
    expect((await routed.send("/v1/embeddings", { model: "patchbay-embed", input })).status).toBe(200);
  await until(() => (counters.get("patchbay.usage_rows") ?? 0) >= before + 2);
});

test("log lines of a failed request name its trace", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8--status-500" }]);
  const traceId = "3df7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  expect((await routed.send("/v1/embeddings", { model: name, input: "a" }, { headers })).status).toBe(502);
  await until(() => routed.product.output().includes(`"traceId":"${traceId}"`));
});

test("the log line of a reply that breaks names its trace", async () => {
  const { name } = await routed.route("speech", [{ as: "tts--cut-at-chunk-3" }]);
  const traceId = "4ef7651916cd43dd8448eb211c80319c";
  const headers = { "x-request-id": "broken", traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  expect((await routed.send(...spoken("openai", name), { headers })).isWhole).toBe(false);
  const line = () =>
    routed.product
      .output()
      .split("\n")
      .find((text) => text.includes("reply_interrupted") && text.includes(`"requestId":"broken"`));
  await until(() => line() !== undefined);
  expect(line()).toContain(`"traceId":"${traceId}"`);
});

test("a collector that fails is reported once, and one that does not answer does not prevent a stop", async () => {
  let exports = 0;
  const broken = createServer((request, reply) => {
    exports += 1;
    request.resume();
    if (exports <= 2) reply.writeHead(400).end();
  });
  await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
  const address = broken.address();
  const product = await startProduct({
    nodeAdapterOnly: true,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
      OTEL_BSP_EXPORT_TIMEOUT: "600000",
    },
  });
  await setUp(product.url);
  const reports = () => product.output().match(/"msg":"telemetry_failed"/g)?.length ?? 0;
  for (const count of [1, 2, 3]) {
    await fetch(`${product.url}/v1/embeddings`, { method: "POST" });
    await until(() => exports === count);
    await until(() => reports() === 1);
  }
  expect(await product.close()).toBe(0);
  expect(reports()).toBe(1);
  broken.close().closeAllConnections();
});

const Coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

/** The packages of OpenTelemetry's SDK that a server has loaded when it ends. */
async function sdkLoadedWith(env: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-coverage-"));
  try {
    // At its end, Node writes the URL of every script that it has run, CommonJS and ESM.
    const product = await startProduct({ nodeAdapterOnly: true, env: { NODE_V8_COVERAGE: folder, ...env } });
    await product.close();
    const texts = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), "utf8"));
    const urls = texts.flatMap((text) => Coverage.parse(JSON.parse(text)).result.map(({ url }) => url));
    expect(urls.filter((url) => url.endsWith("/.next/patchbay/main.mjs")).length).toBeGreaterThan(0);
    const names = urls.flatMap((url) => /\/@opentelemetry\/((?:sdk|exporter)-[\w-]+)\//.exec(url)?.[1] ?? []);
    return [...new Set(names)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a server without OTEL_EXPORTER_OTLP_ENDPOINT loads no SDK", async () => {
  expect(await sdkLoadedWith({})).toEqual([]);
  expect(await sdkLoadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual(
    expect.arrayContaining(["sdk-trace-node", "sdk-metrics", "exporter-trace-otlp-http"]),
  );
});
