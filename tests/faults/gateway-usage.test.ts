import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RoutedProduct, spoken, startRouted } from "../support/routed-product";

/** Ledger entries for implausible or missing usage of an upstream. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted();
});
afterAll(() => routed?.close());

const PRICES = {
  input_per_million_tokens: "1",
  output_per_million_tokens: "1",
  output_per_million_seconds: "1",
};

describe("implausible usage", () => {
  const KINDS = [
    "usage-minus",
    "usage-text",
    "usage-huge",
    "usage-half",
    "usage-absent",
    "usage-wild",
    "usage-nought",
  ];

  test.each(KINDS)(
    "'%s' of an embeddings call is replaced by the gateway's own count and flagged",
    async (kind) => {
      const { name } = await routed.route("embeddings", [{ as: `embed.8--${kind}` }], { prices: PRICES });
      const reply = await routed.send("/v1/embeddings", { model: name, input: "hello world" });
      expect(reply.json.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
      const [row] = await routed.rows(name);
      expect(row).toMatchObject({ input_tokens: 2, estimated: true, cost_usd: "0.000002000" });
    },
  );

  test.each(KINDS)(
    "'%s' of a speech call is counted from the text and measured from the audio",
    async (kind) => {
      const { name } = await routed.route("speech", [{ as: `tts--${kind}`, provider: "gemini" }], {
        prices: PRICES,
      });
      const reply = await routed.send(...spoken("gemini", name, "hello world"));
      // Half a second: 12.5 tokens, rounded up.
      expect(reply.json.usageMetadata).toMatchObject({ promptTokenCount: 2, candidatesTokenCount: 13 });
      const [row] = await routed.rows(name);
      expect(row).toMatchObject({ input_tokens: 2, output_tokens: 13, audio_ms: 500, estimated: true });
      expect(row?.cost_usd).toBe("0.000015500");
    },
  );

  test.each(["gemini", "openai"] as const)(
    "counts the instructions and tools that an upstream of %s reads, unless the channel ignores them",
    async (provider) => {
      const [path, body] = spoken(provider, "MODEL", "hello world");
      const guided = {
        ...(body as object),
        instructions: "hello world",
        systemInstruction: { parts: [{ text: "hello" }, { text: "world" }] },
        tools: [{ name: "hello world hello world" }],
      };
      const send = (model: string) =>
        routed.send(path.replace("MODEL", model), provider === "openai" ? { ...guided, model } : guided);
      const { name } = await routed.route("speech", [{ as: "tts--usage-absent", provider }], {
        prices: PRICES,
      });
      expect((await send(name)).status).toBe(200);
      // Gemini also reads the two lines of the system instruction and the tool's JSON.
      const tokens = provider === "openai" ? 4 : 13;
      expect((await routed.rows(name))[0]).toMatchObject({ input_tokens: tokens, estimated: true });
      await send("patchbay-speech");
      expect((await routed.rows("patchbay-speech"))[0]).toMatchObject({ input_tokens: 2 });
      const other = provider === "openai" ? "elevenlabs" : "openai";
      const { name: ignoring } = await routed.route("speech", [{ as: "tts", provider: other }]);
      expect((await send(ignoring)).headers["x-patchbay-ignored"]).toMatch(
        /instructions|systemInstruction, tools/,
      );
      expect((await routed.rows(ignoring))[0]).toMatchObject({ input_tokens: 2 });
    },
  );

  test("refuses more candidates than the budget covers, before an upstream call", async () => {
    const { name } = await routed.route("speech", [{ as: "tts", provider: "gemini" }], {
      prices: { output_per_million_tokens: "1" },
    });
    // For each candidate 3.65 s of audio are reserved, at 25 tokens per second.
    const key = await routed.newKey({ name: "for two", budget: { total_usd: "0.000200000" } });
    const [path, body] = spoken("gemini", name, "hello world");
    const send = (candidateCount: number) => {
      const generationConfig = { responseModalities: ["AUDIO"], candidateCount };
      return routed.send(path, { ...(body as object), generationConfig }, { key });
    };
    const calls = routed.upstream.ledger.length;
    expect((await send(3)).json.error.message).toContain("budget");
    expect(routed.upstream.ledger.length).toBe(calls);
    expect((await send(2)).status).toBe(200);
  });

  test("charges by seconds of audio where the upstream reports no tokens, else by its tokens", async () => {
    const { name } = await routed.route("speech", [{ as: "tts" }], { prices: PRICES });
    expect((await routed.send(...spoken("openai", name, "hello world"))).status).toBe(200);
    expect((await routed.rows(name))[0]).toMatchObject({ audio_ms: 500, output_tokens: 13, estimated: true });
    const { name: reported } = await routed.route("speech", [{ as: "tts", provider: "gemini" }], {
      prices: PRICES,
    });
    expect((await routed.send(...spoken("openai", reported, "hello world"))).status).toBe(200);
    expect((await routed.rows(reported))[0]).toMatchObject({
      audio_ms: 500,
      output_tokens: 13,
      estimated: false,
    });
  });
});

describe("the trace of a call", () => {
  test("has both attempts of a failover: start, end, the first one's error and the channel that served", async () => {
    const { name, ids } = await routed.route("embeddings", [
      { as: "embed.8--status-503" },
      { as: "embed.8" },
    ]);
    expect((await routed.send("/v1/embeddings", { model: name, input: "a" })).status).toBe(200);
    const [row] = await routed.whenRows(name, 1);
    const { trace } = await routed.console(`/api/usage/${row?.request_id}`);
    const [first, second, ...more] = trace.attempts;
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      channel_id: ids[0],
      error: "upstream_error",
      upstream_status: 503,
      upstream_refusal: null,
      first_byte_ms: null,
    });
    expect(second).toMatchObject({ channel_id: ids[1], error: null, upstream_status: null });
    const times = [
      trace.admitted_ms,
      first.started_ms,
      first.ended_ms,
      second.started_ms,
      second.first_byte_ms,
      second.ended_ms,
      trace.settled_ms,
    ];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(JSON.stringify(trace)).not.toContain("sk-");
  });

  test("has the upstream's own status, and that the account was refused", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8--no-money" }]);
    await routed.send("/v1/embeddings", { model: name, input: "a" });
    const [row] = await routed.whenRows(name, 1);
    const { trace } = await routed.console(`/api/usage/${row?.request_id}`);
    expect(trace.attempts).toMatchObject([{ upstream_status: 429, upstream_refusal: "account" }]);
  });

  test("ends the attempt of a broken stream with the caller's error", async () => {
    const { name } = await routed.route("speech", [{ as: "tts--cut-chunked-at-byte-40000" }]);
    await routed.send(...spoken("openai", name, "hello world"));
    const [row] = await routed.whenRows(name, 1);
    const { trace } = await routed.console(`/api/usage/${row?.request_id}`);
    expect(trace.attempts.at(-1)).toMatchObject({ error: row?.error });
    expect(trace.attempts.at(-1).ended_ms).toBeGreaterThanOrEqual(trace.attempts.at(-1).started_ms);
  });
});
