import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "@/lib/errors";
import { createBatcher, distribute, type SendBatch, shareTokens } from "@/lib/gateway/embeddings/batching";
import type { EmbeddingRequest } from "@/lib/ports/embedding-model";
import type { CallOptions } from "@/lib/ports/speech-model";
import type { StopSignal } from "../../../lib/ports/stop-signal";
import { UpstreamProgress } from "../../../lib/ports/upstream-progress";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const options = (signal = new AbortController().signal): CallOptions => ({
  signal,
  requestId: "r",
  firstByteBy: 1e9,
});
const single = (text: string, tokens = 1, signal?: AbortSignal, scope = "usr_1") => ({
  text,
  scope,
  tokens,
  options: options(signal),
});

/** An upstream that answers each text with its length and records its requests. */
function upstream(inputTokens: number | null = null) {
  const requests: EmbeddingRequest[] = [];
  const signals: StopSignal[] = [];
  const send: SendBatch = async (request, { signal }) => {
    requests.push(request);
    signals.push(signal);
    return { vectors: request.texts.map((text) => Float32Array.of(text.length)), inputTokens };
  };
  return { requests, signals, send };
}

test("sends texts that arrive together in one call and gives each caller its own vector", async () => {
  const { requests, send } = upstream();
  const batcher = createBatcher();
  const answers = ["a", "bb", "ccc"].map((text) => batcher.embed("p", { model: "m" }, single(text), send));
  await vi.runAllTimersAsync();
  expect(requests).toEqual([{ model: "m", texts: ["a", "bb", "ccc"] }]);
  expect((await Promise.all(answers)).map(({ vectors }) => [...(vectors[0] ?? [])])).toEqual([[1], [2], [3]]);
});

test("calls onReplied of every caller of a batch when its reply is complete", async () => {
  const { send } = upstream();
  const batcher = createBatcher();
  const replied: string[] = [];
  const answers = ["a", "bb"].map((text) => {
    const one = single(text);
    const own = { ...one.options, onReplied: () => void replied.push(text) };
    const sendAndReport: SendBatch = async (request, given) => {
      const result = await send(request, given);
      given.onReplied?.();
      return result;
    };
    return batcher.embed("p", { model: "m" }, { ...one, options: own }, sendAndReport);
  });
  await vi.runAllTimersAsync();
  await Promise.all(answers);
  expect(replied).toEqual(["a", "bb"]);
});

test("sends equal texts of a batch once and distributes the tokens to their callers", async () => {
  const { requests, send } = upstream(10);
  const batcher = createBatcher();
  const answers = [single("same", 3), single("same", 3), single("other", 4)].map((one) =>
    batcher.embed("p", { model: "m" }, one, send),
  );
  await vi.runAllTimersAsync();
  expect(requests[0]?.texts).toEqual(["same", "other"]);
  expect((await Promise.all(answers)).map((answer) => answer.inputTokens)).toEqual([3, 3, 4]);
});

test("sends equal texts of two scopes twice, so that token counts reveal nothing", async () => {
  const { requests, send } = upstream(6);
  const batcher = createBatcher();
  const answers = ["usr_1", "usr_2"].map((scope) =>
    batcher.embed("p", { model: "m" }, single("same", 3, undefined, scope), send),
  );
  await vi.runAllTimersAsync();
  expect(requests.map((request) => request.texts)).toEqual([["same", "same"]]);
  expect((await Promise.all(answers)).map((answer) => answer.inputTokens)).toEqual([3, 3]);
});

test("never batches texts with different parameters", async () => {
  const { requests, send } = upstream();
  const batcher = createBatcher();
  void batcher.embed("p256", { model: "m", dimensions: 256 }, single("a"), send);
  void batcher.embed("p512", { model: "m", dimensions: 512 }, single("a"), send);
  await vi.runAllTimersAsync();
  expect(requests.map((request) => request.dimensions)).toEqual([256, 512]);
});

test("sends a full batch at once", async () => {
  const { requests, send } = upstream();
  const sizes: number[] = [];
  const batcher = createBatcher((size) => sizes.push(size), { maxBatch: 4 });
  for (let i = 0; i < 10; i++) void batcher.embed("p", { model: "m" }, single(`t${i}`), send);
  expect(sizes).toEqual([4, 4]);
  await vi.runAllTimersAsync();
  expect(sizes).toEqual([4, 4, 2]);
  expect(requests.flatMap((request) => request.texts)).toHaveLength(10);
});

/** The status of each call and the texts of each request, for an upstream that fails at the text "bad". */
async function withBadText(failure: AppError) {
  const requests: string[][] = [];
  const send: SendBatch = async ({ texts }) => {
    requests.push(texts);
    if (texts.includes("bad")) throw failure;
    return { vectors: texts.map(() => Float32Array.of(1)), inputTokens: 1 };
  };
  const batcher = createBatcher();
  const answers = ["good", "bad", "fine"].map((text) =>
    batcher.embed("p", { model: "m" }, single(text), send),
  );
  const settled = Promise.allSettled(answers);
  await vi.runAllTimersAsync();
  return { statuses: (await settled).map((one) => one.status), requests };
}

const failedWith = (upstreamStatus?: number, details = {}) =>
  new AppError("upstream_error", "Failed.", { upstreamStatus, ...details });

test.each<[string, AppError]>([
  ["an error of its input", new AppError("invalid", "'bad' is not good.")],
  ["status 500", failedWith(500)],
  ["a firewall's page", failedWith(403)],
  ["a null vector", new AppError("upstream_invalid", "NaN")],
  [
    "a limit that only its size exceeds",
    new AppError("upstream_rate_limited", "Too large.", { isCausedByRequest: true }),
  ],
])(
  "sends a batch that one text fails with %s again text by text, so that only this text fails",
  async (_, failure) => {
    const { statuses, requests } = await withBadText(failure);
    expect(statuses).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(requests).toEqual([["good", "bad", "fine"], ["good"], ["bad"], ["fine"]]);
  },
);

test.each<[string, AppError]>([
  ["an upstream that is down", failedWith(503)],
  ["an upstream out of reach", failedWith()],
  ["a refused key", failedWith(403, { upstreamRefusal: "credentials" })],
  ["an unknown model", new AppError("invalid", "No model.", { upstreamStatus: 404, isUnknownModel: true })],
  ["a rate limit that is used up", new AppError("upstream_rate_limited", "Slow down.")],
  ["a timeout", new AppError("upstream_timeout", "Too slow.")],
  ["a reply cut short", new AppError("upstream_truncated", "Cut.")],
])("does not send a batch again after %s", async (_, failure) => {
  const { statuses, requests } = await withBadText(failure);
  expect(statuses).toEqual(["rejected", "rejected", "rejected"]);
  expect(requests).toHaveLength(1);
});

test("sends a failed batch again only for the callers who have not left", async () => {
  const requests: string[][] = [];
  const send: SendBatch = async ({ texts }, { onReplied }) => {
    requests.push([...texts]);
    onReplied?.();
    throw new AppError("upstream_invalid", "NaN");
  };
  const batcher = createBatcher();
  const answers = ["left", "here"].map((text) => {
    const controller = new AbortController();
    const onRepeat = () => {
      if (text === "left") controller.abort();
    };
    const one = single(text, 1, controller.signal);
    const own = { ...one.options, onReplied: () => undefined, onRepeat };
    return batcher.embed("p", { model: "m" }, { ...one, options: own }, send).catch((error) => error.code);
  });
  await vi.runAllTimersAsync();
  expect(await Promise.all(answers)).toEqual(["caller_left", "upstream_invalid"]);
  expect(requests).toEqual([["left", "here"], ["here"]]);
});

test("remembers that the upstream has replied to a batch whose texts are sent again", async () => {
  const send: SendBatch = async ({ texts }, { progress }) => {
    if (texts.length === 1) throw new AppError("upstream_timeout", "Too slow.");
    if (progress !== undefined) progress.hasHead = true;
    throw new AppError("upstream_error", "It failed.", { upstreamStatus: 500 });
  };
  const batcher = createBatcher();
  const progresses = ["a", "b"].map((text) => {
    const progress = new UpstreamProgress();
    const one = single(text);
    const own = { ...one, options: { ...one.options, progress } };
    batcher.embed("p", { model: "m" }, own, send).catch(() => undefined);
    return progress;
  });
  await vi.runAllTimersAsync();
  // Otherwise a late repeat would count as a channel that does not respond at all.
  expect(progresses).toMatchObject([
    { batch: null, hasHead: false, hasRepliedBefore: true },
    { batch: null, hasHead: false, hasRepliedBefore: true },
  ]);
});

test("rejects all callers of a batch with the same error for any other failure", async () => {
  const failure = new AppError("upstream_timeout", "Too slow.");
  const batcher = createBatcher();
  const answers = ["a", "b"].map((text) =>
    batcher.embed("p", { model: "m" }, single(text), () => Promise.reject(failure)).catch((error) => error),
  );
  await vi.runAllTimersAsync();
  for (const error of await Promise.all(answers)) expect(error).toBe(failure);
});

test("rejects a reply with too few vectors as upstream_invalid, also to a text alone", async () => {
  const requests: number[] = [];
  const send: SendBatch = async ({ texts }) => {
    requests.push(texts.length);
    return { vectors: [], inputTokens: null };
  };
  const batcher = createBatcher();
  const answers = ["a", "b"].map((text) =>
    batcher.embed("p", { model: "m" }, single(text), send).catch((error) => error),
  );
  await vi.runAllTimersAsync();
  for (const error of await Promise.all(answers)) expect(error).toMatchObject({ code: "upstream_invalid" });
  expect(requests).toEqual([2, 1, 1]);
});

test("aborts the upstream call when its last caller leaves, not before", async () => {
  const leaving = [new AbortController(), new AbortController()];
  const signals: StopSignal[] = [];
  const batcher = createBatcher();
  const send: SendBatch = (_request, { signal }) => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  for (const [index, controller] of leaving.entries())
    void batcher.embed("p", { model: "m" }, single(`t${index}`, 1, controller.signal), send);
  await vi.runAllTimersAsync();
  leaving[0]?.abort();
  expect(signals[0]?.aborted).toBe(false);
  leaving[1]?.abort();
  expect(signals[0]?.aborted).toBe(true);
});

test("distributes a total into whole shares that add up to it, each within one unit of the exact share", () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.array(fc.nat(10_000), { minLength: 1, maxLength: 64 }),
      (total, weights) => {
        const shares = distribute(total, weights);
        const sum = weights.reduce((all, weight) => all + weight, 0);
        expect(shares.reduce((all, share) => all + share, 0)).toBe(total);
        for (const [index, share] of shares.entries()) {
          const exact = sum === 0 ? total / weights.length : (total * (weights[index] ?? 0)) / sum;
          expect(Number.isInteger(share)).toBe(true);
          expect(Math.abs(share - exact)).toBeLessThan(1);
        }
      },
    ),
  );
});

test("gives the remaining units to the largest remainders, and among equal remainders to the first", () => {
  expect(distribute(10, [26, 27, 47])).toEqual([2, 3, 5]);
  expect(distribute(2, [1, 1, 1])).toEqual([1, 1, 0]);
});

test("charges the upstream tokens of a text that exceed our own count to its caller, not to the others", async () => {
  // 512 tokens in a WordPiece vocabulary, 8 in cl100k_base.
  const attack = { text: "=".repeat(512), tokens: 8 };
  const others = ["Hello there, friend.", "Good morning!"].map((text) => ({ text, tokens: 4 }));
  const { send } = upstream(514 + 6 + 5);
  const batcher = createBatcher();
  const answers = [attack, ...others].map(({ text, tokens }) =>
    batcher.embed("p", { model: "m" }, single(text, tokens), send),
  );
  await vi.runAllTimersAsync();
  const [own = 0, ...shares] = (await Promise.all(answers)).map(({ inputTokens }) => inputTokens ?? 0);
  for (const [index, share] of shares.entries())
    expect(share).toBeLessThanOrEqual((others[index]?.text.length ?? 0) + 2);
  expect(own).toBeGreaterThan(480);
  // [CLS] and [SEP] are charged to each text.
  const short = { text: "a", tokens: 1 };
  expect(shareTokens(8, [short, { text: "unbelievable", tokens: 3 }])).toEqual([2, 6]);
});

test("divides an upstream's tokens without loss, and charges no text more tokens than bytes while the bytes suffice", () => {
  const member = fc.record({ text: fc.string({ unit: "grapheme" }), tokens: fc.nat(50) });
  fc.assert(
    fc.property(fc.nat(3_000), fc.array(member, { minLength: 1, maxLength: 20 }), (total, members) => {
      const shares = shareTokens(total, members);
      expect(shares.reduce((all, share) => all + share, 0)).toBe(total);
      const most = members.map(({ text, tokens }) => Math.max(tokens, Buffer.byteLength(text) + 2));
      if (total > most.reduce((all, one) => all + one, 0)) return;
      for (const [index, share] of shares.entries()) expect(share).toBeLessThanOrEqual(most[index] ?? 0);
    }),
  );
});
