import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import type { Comparison } from "@/components/embeddings/comparison";
import { useAbortableRun, useComparison } from "@/components/embeddings/use-comparison";

afterEach(() => vi.unstubAllGlobals());

type Runs = ReturnType<typeof useAbortableRun>;

function Runner({ onRuns }: { onRuns(runs: Runs): void }) {
  onRuns(useAbortableRun());
  return null;
}

type Rank = ReturnType<typeof useComparison>["rank"];

function Ranker({ onRank }: { onRank(rank: Rank): void }) {
  onRank(useComparison(() => true).rank);
  return null;
}

test("Stop ends a run whose code is still loading", async () => {
  let runs: Runs | undefined;
  renderToStaticMarkup(createElement(Runner, { onRuns: (now) => (runs = now) }));
  // Never resolves, like `loadPart` while the server is unreachable.
  const ended = runs?.run("texts", () => new Promise(() => undefined)).then(() => "ended");
  runs?.stop();
  const running = new Promise((resolve) => setTimeout(resolve, 50, "running"));
  expect(await Promise.race([ended, running])).toBe("ended");
});

test("a query of another comparison ends the call for the texts of the one before", async () => {
  const signals: AbortSignal[] = [];
  vi.stubGlobal("fetch", async (url: string, { body, signal }: { body: string; signal: AbortSignal }) => {
    if (!url.includes("batchEmbedContents"))
      return Response.json({ success: true, data: { key: "k", expires_at: "2099-01-01T00:00:00Z" } });
    if (body.includes("RETRIEVAL_DOCUMENT")) signals.push(signal);
    return new Promise<never>(() => undefined);
  });
  let ask: Rank | undefined;
  renderToStaticMarkup(createElement(Ranker, { onRank: (now) => (ask = now) }));
  const call = { model: "m", texts: ["a", "b"], dimensions: null, format: "float" as const };
  // Only what a query reads before the replies.
  const [first, second] = [{ call }, { call }] as unknown as [Comparison, Comparison];
  void ask?.(first, "one");
  await vi.waitFor(() => expect(signals).toHaveLength(1));
  void ask?.(first, "two");
  await new Promise(setImmediate);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  void ask?.(second, "three");
  await vi.waitFor(() => expect(signals).toHaveLength(2));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});
