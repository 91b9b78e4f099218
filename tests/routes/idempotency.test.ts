import { afterEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS } from "@/lib/contracts/limits";
import { AppError } from "@/lib/errors";
import type { GatewayContext } from "@/lib/gateway/context";
import { answerOnce } from "@/lib/http/gateway/idempotent-reply";
import type { EmbeddingModel } from "@/lib/ports/embedding-model";
import type { KeyRecord } from "@/lib/ports/store";
import { embedModel, keyRecord, usageRecord } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";

const NO_LIMIT = { totalNano: null, dailyNano: null, monthlyNano: null };

function open(embed?: EmbeddingModel["embed"]) {
  let asked = 0;
  const engine: EmbeddingModel = {
    async embed(request, options) {
      asked += 1;
      if (embed) return embed(request, options);
      return { vectors: request.texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
    },
  };
  const harness = openGatewayHarness({ models: [embedModel({ cacheable: false })], engine: () => engine });
  const send = (input: string, key = "order-17", as = harness.key) =>
    harness.call("/v1/embeddings", {
      headers: { "idempotency-key": key, authorization: `Bearer ${as}` },
      body: { model: "patchbay-embed", input },
    });
  return { harness, send, asked: () => asked };
}

test("answers a repeat with the stored reply, without an upstream call but with a usage row", async () => {
  const { harness, send, asked } = open();
  const first = await send("text");
  const observed = vi.spyOn(harness.services.metrics, "observeCall");
  const second = await send("text");
  expect(second.status).toBe(200);
  expect(observed.mock.calls).toMatchObject([[{ operation: "embeddings", channel: null, status: 200 }]]);
  expect(second.text).toBe(first.text);
  expect(first.headers).toMatchObject({
    "x-patchbay-attempts": "1",
    "x-patchbay-channel": expect.any(String),
  });
  const about = Object.entries(second.headers).filter(([name]) => name.startsWith("x-patchbay-"));
  expect(about).toEqual([
    ["x-patchbay-attempts", "0"],
    ["x-patchbay-overhead-ms", expect.stringMatching(/^\d+\.\d$/)],
  ]);
  expect(asked()).toBe(1);
  expect(harness.rows).toMatchObject([
    { cached: false, attempts: 1 },
    { cached: true, attempts: 0, latencyMs: 0, firstByteMs: 0 },
  ]);
});

test("counts a repeat whose entry cannot be committed as a failed call, not as a rejected one", async () => {
  const { harness, send } = open();
  await send("text");
  const { services } = harness;
  const observed = vi.spyOn(services.metrics, "observeCall");
  const rejected = vi.spyOn(services.metrics, "countRejection");
  services.store.ledger.settle = async () => {
    throw new AppError("storage_unavailable", "The disk is full.");
  };
  const repeat = await send("text");
  expect([repeat.status, repeat.headers["x-patchbay-attempts"]]).toEqual([503, "0"]);
  expect(observed.mock.calls).toMatchObject([[{ status: 503, error: "storage_unavailable" }]]);
  expect(rejected).not.toHaveBeenCalled();
});

test("refuses another body with the same idempotency key, and runs it with another idempotency or API key", async () => {
  const { harness, send, asked } = open();
  await send("text");
  const other = await send("another text");
  expect(other.status).toBe(400);
  expect(other.json.error.message).toContain("Idempotency-Key");
  expect((await send("another text", "order-18")).status).toBe(200);
  expect((await send("another text", "order-17", harness.addKey())).status).toBe(200);
  expect(asked()).toBe(3);
});

test("does not repeat the rate-limit headers of the first reply", async () => {
  const { harness } = open();
  const key = harness.addKey({ rpm: 100, tpm: 1_000 });
  const send = (id: string) =>
    harness.call("/v1/embeddings", {
      headers: { "idempotency-key": id, authorization: `Bearer ${key}` },
      body: { model: "patchbay-embed", input: "text" },
    });
  const limitsOf = ({ headers }: { headers: object }) =>
    Object.entries(headers).filter(([name]) => name.includes("ratelimit-"));
  const first = await send("order-17");
  for (let call = 0; call < 5; call++) await send(`other-${call}`);
  const repeat = await send("order-17");
  expect(limitsOf(first).length).toBeGreaterThan(0);
  const stale = limitsOf(repeat).filter(([name, value]) => first.headers[name] === value);
  expect(stale.filter(([name]) => name.includes("remaining"))).toEqual([]);
});

test("makes one upstream call for ten concurrent requests with one idempotency key", async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { send, asked } = open(async ({ texts }) => {
    await gate;
    return { vectors: texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
  });
  const replies = Array.from({ length: 10 }, () => send("text"));
  release();
  const texts = new Set((await Promise.all(replies)).map((reply) => reply.text));
  expect(texts.size).toBe(1);
  expect(asked()).toBe(1);
});

test.each([
  ["while it waits", () => new Promise<void>((resolve) => setImmediate(resolve))],
  ["before it begins to wait", () => Promise.resolve()],
])(
  "frees the slot of a repeat whose caller leaves %s before the first call ends",
  async (_when, untilLeaving) => {
    const running = { begin: () => {}, end: () => {} };
    const began = new Promise<void>((resolve) => {
      running.begin = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      running.end = resolve;
    });
    const { harness, send } = open(async ({ texts }) => {
      if (texts.includes("text")) {
        running.begin();
        await gate;
      }
      return { vectors: texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
    });
    const key = harness.addKey({ concurrency: 2 });
    const first = send("text", "order-17", key);
    await began;
    const leaving = new AbortController();
    const repeat = harness.call("/v1/embeddings", {
      headers: { "idempotency-key": "order-17", authorization: `Bearer ${key}` },
      body: { model: "patchbay-embed", input: "text" },
      signal: leaving.signal,
    });
    await untilLeaving();
    leaving.abort();
    // This request would get 429 after a second if the first call and the repeat still held both slots.
    const other = await send("other text", "order-18", key);
    running.end();
    expect(other.status, other.text).toBe(200);
    expect((await repeat).json.error).toBeDefined();
    expect((await first).status).toBe(200);
  },
);

describe("a repeat that waits for the first request", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Calls that run until they are released, with a key that allows one call at a time. */
  function running(error?: AppError) {
    const gates: (() => void)[] = [];
    const opened = open(async ({ texts }) => {
      const isFirst = gates.length === 0;
      await new Promise<void>((resolve) => gates.push(resolve));
      if (isFirst && error) throw error;
      return { vectors: texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
    });
    const key = opened.harness.addKey({ concurrency: 1 });
    const begun = (count: number) => vi.waitFor(() => expect(gates).toHaveLength(count));
    return { ...opened, key, gates, begun, send: (text: string, id: string) => opened.send(text, id, key) };
  }
  const advancePastSlotWait = () => vi.advanceTimersByTimeAsync(2_000);

  test("uses no slot of its key and gets the stored reply, even if the first runs long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { send, gates, begun, asked } = running();
    const first = send("text", "order-17");
    await begun(1);
    const repeats = [send("text", "order-17"), send("text", "order-17")];
    await advancePastSlotWait();
    gates[0]?.();
    const replies = await Promise.all([first, ...repeats]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked()).toBe(1);
  });

  test("gets 504 with Retry-After when the first runs longer than the call limit", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { harness, send, gates, begun, asked } = running();
    harness.services.instance.limits = {
      ...DEFAULT_LIMITS,
      callMs: 5_000,
      embeddingsFirstByteMs: 86_400_000,
    };
    const first = send("text", "order-17");
    await begun(1);
    const repeat = send("text", "order-17");
    let isAnswered = false;
    void repeat.then(() => {
      isAnswered = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    const { status, headers, json } = await repeat;
    expect([status, headers["retry-after"], json.error.code]).toEqual([504, "1", "upstream_timeout"]);
    gates[0]?.();
    expect((await first).status).toBe(200);
    expect((await send("text", "order-17")).status).toBe(200);
    expect(asked()).toBe(1);
  });

  test("leaves its slot to other calls of its key", async () => {
    const { harness, gates, begun } = running();
    const key = harness.addKey({ concurrency: 2 });
    const sendAs = (text: string, id: string) =>
      harness.call("/v1/embeddings", {
        headers: { "idempotency-key": id, authorization: `Bearer ${key}` },
        body: { model: "patchbay-embed", input: text },
      });
    // Both requests are admitted before either runs, so the repeat has a slot, which it must give back.
    const pair = [sendAs("text", "order-17"), sendAs("text", "order-17")];
    await begun(1);
    const other = sendAs("other text", "order-18");
    await begun(2);
    for (const release of gates) release();
    const replies = await Promise.all([...pair, other]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("runs in its own slot when the first fails", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { send, gates, begun, asked } = running(new AppError("invalid", "It failed."));
    const first = send("text", "order-17");
    await begun(1);
    const repeat = send("text", "order-17");
    await advancePastSlotWait();
    gates[0]?.();
    expect((await first).status).toBe(400);
    await begun(2);
    const third = send("other text", "order-18");
    await advancePastSlotWait();
    expect((await third).status).toBe(429);
    gates[1]?.();
    expect((await repeat).status).toBe(200);
    expect(asked()).toBe(2);
  });

  test("is refused with 429 when 64 repeats of its API key are waiting", async () => {
    const { send, gates, begun } = running();
    const first = send("text", "order-17");
    await begun(1);
    const repeats = Array.from({ length: 64 }, () => send("text", "order-17"));
    const refused = await send("text", "order-17");
    expect(refused.status).toBe(429);
    expect(refused.json.error.message).toContain("64 waiting repeats");
    gates[0]?.();
    const replies = await Promise.all([first, ...repeats]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

test.each([
  { what: "charged", read: 2, bytes: 20_000, times: 1, pieces: 4 },
  { what: "charged and not begun", read: 0, bytes: 20_000, times: 1, pieces: 4 },
  { what: "charged and larger than what is stored", read: 1, bytes: 5_000_000, times: 2, pieces: 2 },
  { what: "not charged", read: 2, bytes: 20_000, times: 2, pieces: 2 },
])(
  "after a caller leaves a reply that is $what, $times of two requests with its idempotency key run",
  async ({ what, read, bytes, times, pieces }) => {
    const { services } = openGatewayHarness();
    const key = keyRecord("usr_1");
    const { signal } = new AbortController();
    // `answerOnce` reads only these fields.
    const ctx = {
      services,
      caller: { key, owner: { id: "usr_1" } },
      signal,
      receivedAt: services.clock.monotonic(),
    } as unknown as GatewayContext;
    const ends: string[] = [];
    const { idempotency } = services.state;
    const begin = idempotency.begin.bind(idempotency);
    vi.spyOn(idempotency, "begin").mockImplementation(async (...args) => {
      const start = await begin(...args);
      if (start.kind === "repeat") return start;
      return {
        kind: "first",
        store: (reply) => void [ends.push("stored"), start.store(reply)],
        discard: () => void [ends.push("discarded"), start.discard()],
      };
    });
    let made = 0;
    let rendered = 0;
    const answer = async () => {
      const { body } = await answerOnce(
        ctx,
        { key: "order-17", digest: "d" },
        {
          slot: { enterCaller: async () => true, waitAsRepeat() {} },
          authorizeReplay: async (own) => own,
          async execute(own) {
            made += 1;
            if (what !== "not charged") own.onRecorded?.(usageRecord(key.id, "usr_1"));
            async function* render() {
              for (let n = 0; n < 4; n += 1) {
                rendered += 1;
                yield Buffer.alloc(bytes, n);
              }
            }
            return { status: 200, headers: {}, body: render() };
          },
        },
      );
      return body;
    };
    const first = await answer();
    if (first === null || first instanceof Uint8Array) throw new Error("not streamed");
    const chunks = first[Symbol.asyncIterator]();
    for (let n = 0; n < read; n += 1) await chunks.next();
    await chunks.return?.();
    expect(rendered).toBe(pieces);
    // Exactly one of the two: after a discard, other instances would forget the stored reply.
    expect(ends).toEqual([times === 1 ? "stored" : "discarded"]);
    const again = await answer();
    expect(made).toBe(times);
    if (again instanceof Uint8Array) expect(again.length).toBe(4 * bytes);
  },
);

test("does not store a failure: a repeat runs the request again", async () => {
  let isDown = true;
  const { send } = open(async ({ texts }) => {
    if (isDown) throw new AppError("upstream_error", "It failed.");
    return { vectors: texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
  });
  expect((await send("text")).status).toBe(502);
  isDown = false;
  expect((await send("text")).status).toBe(200);
});

test("a repeat that runs after a failure reserves from the key's current budget", async () => {
  const running = { begin: () => {}, end: () => {} };
  const began = new Promise<void>((resolve) => {
    running.begin = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    running.end = resolve;
  });
  let calls = 0;
  const engine: EmbeddingModel = {
    async embed({ texts }) {
      calls += 1;
      if (calls > 1)
        return { vectors: texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
      running.begin();
      await gate;
      throw new AppError("invalid", "It failed.");
    },
  };
  const prices = { ...embedModel().prices, inputPerMillionTokens: 20_000_000 };
  const harness = openGatewayHarness({
    models: [embedModel({ cacheable: false, prices })],
    engine: () => engine,
  });
  const key = harness.addKey({ id: "key_9" });
  const send = () =>
    harness.call("/v1/embeddings", {
      headers: { "idempotency-key": "order-17", authorization: `Bearer ${key}` },
      body: { model: "patchbay-embed", input: "text" },
    });
  const first = send();
  await began;
  const second = send();
  await new Promise((resolve) => setImmediate(resolve));
  const budget = { ...NO_LIMIT, dailyNano: 1_000_000 };
  harness.addKey({ id: "key_9", budget }, key);
  harness.change("keys");
  running.end();
  expect((await first).status).not.toBe(200);
  expect((await second).status).toBe(200);
  expect(harness.reservations.map(({ keyBudget }) => keyBudget)).toEqual([NO_LIMIT, budget]);
});

test("refuses an idempotency key of more than 255 characters", async () => {
  const { send, asked } = open();
  expect((await send("text", "x".repeat(255))).status).toBe(200);
  expect((await send("text", "x".repeat(256))).status).toBe(400);
  expect(asked()).toBe(1);
});

test("drops a stored reply after 24 hours", async () => {
  const { harness, send, asked } = open();
  await send("text");
  harness.clock.at += 24 * 3_600_000 + 1;
  await send("text");
  expect(asked()).toBe(2);
});

const OTHER_MODEL = embedModel({ name: "other-embed", aliases: [] });

describe("a stored reply is refused to a key that has lost", () => {
  const changes: [string, Partial<KeyRecord>, number, string | null][] = [
    ["the model", { allowedModels: ["other-embed"] }, 403, "model_not_allowed"],
    ["the operation", { operations: ["speech"] }, 403, null],
    ["its address", { allowedAddresses: ["203.0.113.0/24"] }, 403, "ip_not_allowed"],
    ["its enabled state", { enabled: false }, 401, "invalid_api_key"],
    ["its validity", { expiresAt: 1 }, 401, "invalid_api_key"],
    ["its budget", { budget: { ...NO_LIMIT, dailyNano: 0 } }, 429, "insufficient_quota"],
  ];
  test.each(changes)("%s, before the repeat", async (_name, change, status, code) => {
    const { harness, send, asked } = open();
    const key = harness.addKey({ id: "key_9" });
    expect((await send("text", "order-17", key)).status).toBe(200);
    harness.addKey({ id: "key_9", ...change }, key);
    harness.change("keys");
    const refused = await send("text", "order-17", key);
    expect([refused.status, refused.json.error?.code]).toEqual([status, code]);
    expect(refused.text).not.toContain('"embedding"');
    expect([asked(), harness.rows.length]).toEqual([1, 1]);
  });

  test.each(changes)(
    "%s, while the repeat waited for the first request",
    async (_name, change, status, code) => {
      const running = { begin: () => {}, end: () => {} };
      const began = new Promise<void>((resolve) => {
        running.begin = resolve;
      });
      const gate = new Promise<void>((resolve) => {
        running.end = resolve;
      });
      const { harness, send, asked } = open(async ({ texts }) => {
        running.begin();
        await gate;
        return { vectors: texts.map(() => new Float32Array(1_024).fill(1 / 32)), inputTokens: null };
      });
      const key = harness.addKey({ id: "key_9" });
      const first = send("text", "order-17", key);
      await began;
      const second = send("text", "order-17", key);
      await new Promise((resolve) => setImmediate(resolve));
      harness.addKey({ id: "key_9", ...change }, key);
      harness.change("keys");
      running.end();
      expect((await first).status).toBe(200);
      const refused = await second;
      expect([refused.status, refused.json.error?.code]).toEqual([status, code]);
      expect(asked()).toBe(1);
    },
  );

  test("its owner's enabled state", async () => {
    let isEnabled = true;
    const harness = openGatewayHarness({ ownerEnabled: () => isEnabled });
    const send = () =>
      harness.call("/v1/embeddings", {
        headers: { "idempotency-key": "order-17" },
        body: { model: "patchbay-embed", input: "text" },
      });
    expect((await send()).status).toBe(200);
    isEnabled = false;
    harness.change("users");
    expect((await send()).status).toBe(401);
  });
});

test.each([
  ["/v1/engines/patchbay-embed/embeddings", { model: "patchbay-embed", input: "text" }, 403],
  ["/v1beta/models/patchbay-embed:embedContent", { content: { parts: [{ text: "text" }] } }, 403],
  ["/v1beta/models/patchbay-embed:countTokens", { contents: [{ parts: [{ text: "text" }] }] }, 403],
])("POST %s repeats no reply of a model that the key may no longer use", async (path, body, status) => {
  const harness = openGatewayHarness({ models: [embedModel(), OTHER_MODEL] });
  const key = harness.addKey({ id: "key_9" });
  const headers = { "idempotency-key": "order-17", authorization: `Bearer ${key}` };
  expect((await harness.call(path, { headers, body })).status).toBe(200);
  harness.addKey({ id: "key_9", allowedModels: ["other-embed"] }, key);
  harness.change("keys");
  expect((await harness.call(path, { headers, body })).status).toBe(status);
});
