import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { AppError } from "../../../lib/errors";
import { openSpeech } from "../../../lib/gateway/speech/speech-stream";
import type { EmbeddingResult } from "../../../lib/ports/embedding-model";
import type { CallOptions } from "../../../lib/ports/speech-model";
import { type StopSignal, StopSource, StopSources, stopReason } from "../../../lib/ports/stop-signal";
import { inBatches } from "../../../lib/providers/upstream/embeddings";

/** What the listeners of a signal see, for the same calls on an AbortController and on a StopSource. */
function observe({ signal, abort }: { signal: StopSignal; abort(reason: unknown): void }): unknown[] {
  const seen: unknown[] = [[signal.aborted, signal.reason]];
  const record = (name: string) => () => seen.push([name, signal.aborted, signal.reason]);
  const [twice, removed] = [record("twice"), record("removed")];
  signal.addEventListener("abort", record("first"), { once: true });
  signal.addEventListener("abort", twice, { once: true });
  signal.addEventListener("abort", twice, { once: true });
  signal.addEventListener("abort", removed, { once: true });
  signal.removeEventListener("abort", removed);
  signal.removeEventListener("abort", record("never added"));
  const later = record("removed by a listener");
  signal.addEventListener("abort", () => signal.removeEventListener("abort", later), { once: true });
  signal.addEventListener("abort", later, { once: true });
  abort("a reason");
  signal.addEventListener("abort", record("late"), { once: true });
  abort("another reason");
  return [...seen, [signal.aborted, signal.reason]];
}

test("a request's signal calls its listeners as an AbortSignal does", () => {
  const controller = new AbortController();
  const source = new StopSource();
  const seen = observe({ signal: source, abort: (reason) => source.abort(reason) });
  expect(seen).toEqual(observe({ signal: controller.signal, abort: (reason) => controller.abort(reason) }));
  expect(seen).toContainEqual(["first", true, "a reason"]);
});

test("running signals are aborted together, without those that were removed", () => {
  const running = new StopSources();
  const begun = Array.from({ length: 4 }, () => {
    const source = new StopSource();
    return { source, slot: running.add(source) };
  });
  expect(running.size).toBe(4);
  for (const { source, slot } of begun.slice(1, 3)) running.remove(source, slot);
  const late = new StopSource();
  running.add(late);
  // `late` has the slot of one of these sources: removing them again must not remove `late`.
  for (const { source, slot } of begun.slice(1, 3)) running.remove(source, slot);
  expect(running.size).toBe(3);
  running.abortAll("a reason");
  expect(begun.map(({ source }) => source.aborted)).toEqual([true, false, false, true]);
  expect(late).toMatchObject({ aborted: true, reason: "a reason" });
});

// As the product does (lib/server/process/main.ts).
setFlagsFromString("--no-allocation-site-pretenuring");
setFlagsFromString("--expose-gc");
const collect: (kind: { type: "minor" | "major" }) => void = runInNewContext("gc");

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0;

test("the memory of ended requests is freed without a full collection", () => {
  const ROUNDS = 200;
  const AT_ONCE = 64;
  const NUMBERS = 1_000;
  const running = new StopSources();
  const begin = () => {
    const source = new StopSource();
    const held = Array.from({ length: NUMBERS }, (_, index) => index);
    source.addEventListener("abort", () => held.reverse());
    return { source, slot: running.add(source) };
  };
  let begun = Array.from({ length: AT_ONCE }, begin);
  collect({ type: "major" });
  const before = oldBytes();
  for (let round = 0; round < ROUNDS; round++) {
    begun = begun.map(({ source, slot }) => {
      running.remove(source, slot);
      return begin();
    });
    collect({ type: "minor" });
  }
  // All requests together hold 102 MB; with a Set instead of StopSources, a quarter of that stayed in memory.
  expect(oldBytes() - before).toBeLessThan(8 * 1024 * 1024);
});

const callOptions = (signal: StopSignal) => ({ signal, requestId: "r", firstByteBy: Infinity });
const LEFT = new AppError("caller_left", "The caller left early.");

test("a speech whose caller left before it began is stopped immediately", async () => {
  const signal = new StopSource();
  signal.abort(LEFT);
  let seen: StopSignal | null = null;
  const opened = openSpeech(
    async function* (options) {
      seen = options.signal;
      yield { type: "audio", pcm: new Uint8Array(2) };
    },
    false,
    callOptions(signal),
  );
  await expect(opened).rejects.toBe(LEFT);
  expect(seen).toMatchObject({ aborted: true, reason: LEFT });
});

function* readLength({ length }: Uint8Array): Generator<void, EmbeddingResult, void> {
  yield;
  return { vectors: [Float32Array.of(length)], inputTokens: length };
}

test("a caller who leaves stops every batch of its texts", async () => {
  const signal = new StopSource();
  const given: StopSignal[] = [];
  const call = (_texts: readonly string[], options: CallOptions): Promise<Uint8Array> => {
    given.push(options.signal);
    return new Promise((_resolve, reject) => {
      options.signal.addEventListener("abort", () => reject(options.signal.reason));
    });
  };
  const calls = inBatches(["a", "b"], 1, callOptions(signal), call, readLength);
  signal.abort(LEFT);
  await expect(calls).rejects.toBe(LEFT);
  expect(given).toMatchObject([{ reason: LEFT }, { reason: LEFT }]);
  const fail = () => Promise.reject(new Error("called"));
  const late = inBatches(["a", "b"], 1, callOptions(signal), fail, readLength);
  await expect(late).rejects.toBe(LEFT);
});

test("a caller who leaves after the last reply does not stop the reading of their vectors", async () => {
  const signal = new StopSource();
  const events: string[] = [];
  const onReplied = () => {
    events.push("replied");
    signal.abort(LEFT);
  };
  const call = async ([text = ""]: readonly string[]) => {
    events.push(text);
    return Buffer.from(text);
  };
  const options = { ...callOptions(signal), onReplied };
  const { vectors, inputTokens } = await inBatches(["a", "bb", "ccc"], 1, options, call, readLength);
  expect(vectors).toEqual([Float32Array.of(1), Float32Array.of(2), Float32Array.of(3)]);
  expect(inputTokens).toBe(6);
  expect(events).toEqual(["a", "bb", "ccc", "replied"]);
});

test("a call that its own time limit aborted fails with upstream_timeout, not as a client that left", async () => {
  const signal = AbortSignal.timeout(1);
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
  expect(stopReason(signal).code).toBe("upstream_timeout");
  expect(stopReason(AbortSignal.abort()).code).toBe("caller_left");
});
