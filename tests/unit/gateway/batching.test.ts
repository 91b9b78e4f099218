import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "@/lib/errors";
import { createBatcher, distribute, type SendBatch } from "@/lib/gateway/embeddings/batching";
import type { EmbeddingRequest } from "@/lib/ports/embedding-model";
import type { CallOptions } from "@/lib/ports/speech-model";
import type { StopSignal } from "../../../lib/ports/stop-signal";

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

test("sends a batch refused for one text again text by text, so that only this one fails", async () => {
  const requests: string[][] = [];
  const send: SendBatch = async ({ texts }) => {
    requests.push(texts);
    if (texts.includes("bad")) throw new AppError("invalid", "'bad' is not good.");
    return { vectors: texts.map(() => Float32Array.of(1)), inputTokens: 1 };
  };
  const batcher = createBatcher();
  const answers = ["good", "bad", "fine"].map((text) =>
    batcher.embed("p", { model: "m" }, single(text), send),
  );
  const settled = Promise.allSettled(answers);
  await vi.runAllTimersAsync();
  expect((await settled).map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(requests).toEqual([["good", "bad", "fine"], ["good"], ["bad"], ["fine"]]);
});

test("sends a batch that exceeds the upstream's rate limit again text by text, but not while the limit is used up", async () => {
  for (const isCausedByRequest of [true, false]) {
    const requests: string[][] = [];
    const send: SendBatch = async ({ texts }) => {
      requests.push(texts);
      if (texts.length > 1 || !isCausedByRequest)
        throw new AppError("upstream_rate_limited", "Too large.", { isCausedByRequest });
      return { vectors: [Float32Array.of(1)], inputTokens: 1 };
    };
    const batcher = createBatcher();
    const answers = ["a", "b"].map((text) => batcher.embed("p", { model: "m" }, single(text), send));
    const settled = Promise.allSettled(answers);
    await vi.runAllTimersAsync();
    const [status, calls] = isCausedByRequest ? ["fulfilled", 3] : ["rejected", 1];
    expect((await settled).map((one) => one.status)).toEqual([status, status]);
    expect(requests).toHaveLength(calls);
  }
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

test("rejects a reply with too few vectors as upstream_invalid", async () => {
  const batcher = createBatcher();
  const send: SendBatch = async () => ({ vectors: [Float32Array.of(1)], inputTokens: null });
  const answers = ["a", "b"].map((text) =>
    batcher.embed("p", { model: "m" }, single(text), send).catch((error) => error),
  );
  await vi.runAllTimersAsync();
  for (const error of await Promise.all(answers)) expect(error).toMatchObject({ code: "upstream_invalid" });
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

test("distributes whole shares within one unit of the exact ones that add up to the total", () => {
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
