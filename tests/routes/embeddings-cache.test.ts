import { expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import type { EmbeddingModel } from "@/lib/ports/embedding-model";
import type { ChannelRecord } from "@/lib/ports/store";
import { embedModel, lexicalChannel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";

const PRICES = {
  inputPerMillionTokens: 20_000_000,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};

/** An engine that records the requested texts. */
function recordingEngine() {
  const asked: string[][] = [];
  const engine: EmbeddingModel = {
    async embed({ texts, dimensions = 1_024 }) {
      asked.push(texts);
      const vectorOf = (text: string) => {
        const vector = new Float32Array(dimensions);
        vector[text.length % dimensions] = 1;
        return vector;
      };
      return { vectors: texts.map(vectorOf), inputTokens: null };
    },
  };
  return { asked, engine };
}

function open(fields: Parameters<typeof embedModel>[0] = {}) {
  const { asked, engine } = recordingEngine();
  const harness = openGatewayHarness({
    models: [embedModel({ prices: PRICES, ...fields })],
    engine: () => engine,
  });
  const embed = (input: unknown, more: { headers?: Record<string, string>; body?: object } = {}) =>
    harness.call("/v1/embeddings", {
      headers: more.headers ?? {},
      body: { model: "patchbay-embed", input, encoding_format: "base64", ...more.body },
    });
  return { harness, asked, embed };
}

test("serves a repeated text from the cache: equal bytes, no upstream call, no cost, but a usage row", async () => {
  const { harness, asked, embed } = open();
  const first = await embed("seven green kettles");
  const second = await embed("seven green kettles");
  expect(first.headers["x-patchbay-cache"]).toBe("miss");
  expect(second.headers["x-patchbay-cache"]).toBe("hit");
  expect(second.text).toBe(first.text);
  expect(asked).toEqual([["seven green kettles"]]);
  expect(harness.rows.map((row) => [row.cached, row.costNano > 0])).toEqual([
    [false, true],
    [true, false],
  ]);
  expect(harness.rows[1]).toMatchObject({ status: 200, attempts: 0, channelId: null, characters: 19 });
});

test("caches nothing of a call that began before the caches were cleared", async () => {
  const { asked, engine } = recordingEngine();
  const { state, call } = (() => {
    const harness = openGatewayHarness({
      models: [embedModel({ prices: PRICES })],
      engine: () => ({
        embed(request, options) {
          if (asked.length === 0) harness.services.state.cacheGeneration += 1;
          return engine.embed(request, options);
        },
      }),
    });
    return { state: harness.services.state, call: harness.call };
  })();
  const body = { model: "patchbay-embed", input: "seven green kettles" };
  const states = [];
  for (let i = 0; i < 3; i++)
    states.push((await call("/v1/embeddings", { body })).headers["x-patchbay-cache"]);
  expect([states, state.cacheGeneration]).toEqual([["miss", "miss", "hit"], 1]);
});

test("serves a cached vector to other users only where cached results are shared", async () => {
  const { harness, asked, embed } = open();
  const [own, others] = [
    { authorization: `Bearer ${harness.addKey({ ownerId: "usr_1" })}` },
    { authorization: `Bearer ${harness.addKey({ ownerId: "usr_2" })}` },
  ];
  const cacheOf = async (headers: Record<string, string>) =>
    (await embed("a secret text", { headers })).headers["x-patchbay-cache"];
  // The first request is sent with another key of the same user.
  expect([await cacheOf({}), await cacheOf(own), await cacheOf(others)]).toEqual(["miss", "hit", "miss"]);
  expect(asked).toHaveLength(2);
  harness.services.instance.sharesCaches = true;
  expect([await cacheOf(own), await cacheOf(others)]).toEqual(["miss", "hit"]);
  harness.services.instance.sharesCaches = false;
  expect(await cacheOf(others)).toBe("hit");
  expect(asked).toHaveLength(3);
});

test("a batch has an equal text of two users twice, or once where cached results are shared", async () => {
  for (const [sharesCaches, texts] of [
    [false, ["same", "same"]],
    [true, ["same"]],
  ] as const) {
    const { asked, engine } = recordingEngine();
    const harness = openGatewayHarness({
      models: [embedModel({ batching: true, cacheable: false })],
      channels: [lexicalChannel({ embedded: false })],
      engine: () => engine,
    });
    harness.services.instance.sharesCaches = sharesCaches;
    const other = harness.addKey({ ownerId: "usr_2" });
    await Promise.all(
      [harness.key, other].map((key) =>
        harness.call("/v1/embeddings", {
          headers: { authorization: `Bearer ${key}` },
          body: { model: "patchbay-embed", input: "same" },
        }),
      ),
    );
    expect(asked).toEqual([texts]);
  }
});

test("sends and charges only the uncached texts of a request, records all, and keeps the order", async () => {
  const { harness, asked, embed } = open({
    prices: { ...PRICES, inputPerMillionCharacters: 1_000_000_000 },
  });
  await embed("known");
  const whole = await embed(["new one", "known", "another new"]);
  expect(asked[1]).toEqual(["new one", "another new"]);
  const alone = await embed("another new");
  expect(whole.json.data[2].embedding).toBe(alone.json.data[0].embedding);
  const [known, mixed] = harness.rows;
  expect(mixed).toMatchObject({ inputTokens: whole.json.usage.prompt_tokens, characters: 23 });
  const sent = await embed(["new one", "another new"], { headers: { "cache-control": "no-store" } });
  expect(sent.json.usage.prompt_tokens).toBe((mixed?.inputTokens ?? 0) - (known?.inputTokens ?? 0));
  expect(harness.rows.at(-1)).toMatchObject({ costNano: mixed?.costNano, characters: 18 });
});

test("caches vectors per dimensions", async () => {
  const { asked, embed } = open();
  await embed("text", { body: { dimensions: 8 } });
  await embed("text", { body: { dimensions: 16 } });
  expect(asked).toHaveLength(2);
});

test("distinguishes a line of the task type from a line of the text in cache keys", async () => {
  const { asked, harness } = open();
  const cacheOf = async (text: string, taskType?: string) => {
    const body = { content: { parts: [{ text }] }, taskType };
    return (await harness.call("/v1beta/models/patchbay-embed:embedContent", { body })).headers[
      "x-patchbay-cache"
    ];
  };
  const states = [
    await cacheOf("last line", "QUERY\nfirst line"),
    await cacheOf("first line\nlast line", "QUERY"),
    await cacheOf("last line", "\nfirst line"),
    await cacheOf("first line\nlast line"),
  ];
  expect(states).toEqual(["miss", "miss", "miss", "miss"]);
  expect(asked).toHaveLength(4);
});

test("neither reads nor writes the cache with cache-control: no-store", async () => {
  const { asked, embed } = open();
  const headers = { "cache-control": "no-store" };
  expect((await embed("text", { headers })).headers["x-patchbay-cache"]).toBe("bypass");
  expect((await embed("text")).headers["x-patchbay-cache"]).toBe("miss");
  await embed("text", { headers });
  expect(asked).toHaveLength(3);
});

test("reads cache-control: no-store in any case", async () => {
  const { embed } = open();
  await embed("text");
  const headers = { "cache-control": "Max-Age=0, No-Store" };
  expect((await embed("text", { headers })).headers["x-patchbay-cache"]).toBe("bypass");
});

test("charges a price per character by code points", async () => {
  const { harness, embed } = open({ prices: { ...PRICES, inputPerMillionCharacters: 1_000_000_000_000 } });
  harness.services.countTokens = () => 0;
  await embed(["a👍", "é"]);
  expect(harness.rows).toMatchObject([{ characters: 3, costNano: 3_000_000 }]);
});

test("sends no cache header for a model without a cache", async () => {
  const { asked, embed } = open({ cacheable: false });
  await embed("text");
  expect((await embed("text")).headers["x-patchbay-cache"]).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test("does not reuse vectors after a change of the model's channels", async () => {
  const { asked, engine } = recordingEngine();
  const channels = [lexicalChannel()];
  const harness = openGatewayHarness({ channels, engine: () => engine });
  const embed = () => harness.call("/v1/embeddings", { body: { model: "patchbay-embed", input: "text" } });
  await embed();
  channels[0] = lexicalChannel({ version: 2 });
  harness.change("channels");
  await embed();
  expect(asked).toHaveLength(2);
});

const SAME = { upstreamName: "patchbay-embed", channel: {} };
test.each<{ name: string; upstreamName: string; channel: Partial<ChannelRecord>; isKept?: boolean }>([
  { name: "another model", ...SAME, upstreamName: "other" },
  { name: "another provider", ...SAME, channel: { provider: "openai" } },
  { name: "another address", ...SAME, channel: { baseUrl: "http://127.0.0.1:8880" } },
  { name: "other voices", ...SAME, channel: { options: { voices: { alloy: "af_sky" } } } },
  { name: "the same model", ...SAME, isKept: true },
])(
  "while the first channel fails, caches vectors of a fallback to the same model only: $name",
  async ({ upstreamName, channel, isKept }) => {
    const expected = ["miss", isKept ? "hit" : "miss", "hit"];
    let hasFailed = false;
    const { asked, engine } = recordingEngine();
    const failing: EmbeddingModel = {
      embed: (...args) => {
        if (hasFailed) return engine.embed(...args);
        hasFailed = true;
        return Promise.reject(new AppError("upstream_error", "The upstream is away."));
      },
    };
    const models = [{ name: "patchbay-embed", upstreamName }];
    const harness = openGatewayHarness({
      models: [embedModel()],
      channels: [lexicalChannel(), lexicalChannel({ id: "chn_2", priority: 1, ...channel, models })],
      engine: ({ id }) => (id === "chn_1" ? failing : engine),
    });
    const states: unknown[] = [];
    for (const _ of expected) {
      const { headers } = await harness.call("/v1/embeddings", {
        body: { model: "patchbay-embed", input: "text" },
      });
      states.push(headers["x-patchbay-cache"]);
    }
    expect(states).toEqual(expected);
    expect(harness.rows.map(({ channelId }) => channelId)[0]).toBe("chn_2");
    expect(asked).toHaveLength(expected.filter((state) => state === "miss").length);
  },
);

test.each([
  { what: "a channel that was deleted and created with the same ID", channel: { createdAt: 1 } },
  // After a database failover that lost a change, a later change may get the same version.
  { what: "another provider with the same version", channel: { provider: "openai" } },
  { what: "another address with the same version", channel: { baseUrl: "http://127.0.0.1:8880" } },
  { what: "other headers with the same version", channel: { headers: { "x-variant": "b" } } },
  { what: "other options with the same version", channel: { options: { batching: false } } },
  { what: "a model that was changed with the same version", model: { maxInputTokens: 100 } },
])("does not reuse earlier vectors for $what", async ({ channel, model }) => {
  const { asked, engine } = recordingEngine();
  const [channels, models] = [[lexicalChannel()], [embedModel()]];
  const harness = openGatewayHarness({ models, channels, engine: () => engine });
  const embed = () => harness.call("/v1/embeddings", { body: { model: "patchbay-embed", input: "text" } });
  await embed();
  await embed();
  expect(asked).toHaveLength(1);
  channels[0] = lexicalChannel(channel);
  models[0] = embedModel(model);
  harness.change("channels");
  await embed();
  expect(asked).toHaveLength(2);
});

test("batches single texts of many callers where model and channel allow it", async () => {
  for (const [options, calls] of [
    [{}, 1],
    [{ batching: false }, 20],
  ] as const) {
    const { asked, engine } = recordingEngine();
    const harness = openGatewayHarness({
      models: [embedModel({ batching: true, cacheable: false })],
      channels: [lexicalChannel({ embedded: false, options })],
      engine: () => engine,
    });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        harness.call("/v1/embeddings", { body: { model: "patchbay-embed", input: "x".repeat(i + 1) } }),
      ),
    );
    expect(asked).toHaveLength(calls);
    expect(replies.every((reply, i) => reply.json.data[0].embedding[i + 1] === 1)).toBe(true);
    expect(harness.rows).toHaveLength(20);
  }
});
