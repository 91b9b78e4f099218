"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { type EmbeddingsCall, embedTexts } from "@/lib/client/embeddings-call";
import { failureFrom, type GatewayFailure } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/with-playground-key";
import type { Answer, Comparison } from "./comparison";

/** What is under way. */
export type Work =
  | { kind: "idle" }
  | { kind: "calling"; what: "texts" | "query" }
  | { kind: "comparing"; done: number; count: number }
  | { kind: "failed"; failure: GatewayFailure; what: "texts" | "query" };

/** The arithmetic of a comparison: loaded while the first call is under way. */
const importArithmetic = () => import("./comparison");

const call = (of: EmbeddingsCall, signal: AbortSignal) =>
  withPlaygroundKey((key) => embedTexts(of, { key, signal }));

/** Calls the model and compares what it gives; one thing at a time, the newest wins. */
export function useComparison() {
  const [work, setWork] = useState<Work>({ kind: "idle" });
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  /** Runs `act` in place of what was under way; a failure of it is shown, an abort is not. */
  const run = useCallback(
    async (what: "texts" | "query", act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      setWork({ kind: "calling", what });
      let failure: GatewayFailure | null = null;
      try {
        await act(abort.signal);
      } catch (error) {
        failure = abort.signal.aborted ? null : failureFrom(error);
      }
      if (running.current !== abort) return;
      running.current = null;
      setWork(failure ? { kind: "failed", failure, what } : { kind: "idle" });
    },
    [],
  );

  const rank = useCallback(async (of: Comparison, query: string, signal: AbortSignal) => {
    const { model, dimensions, format } = of.call;
    const reply = await call({ model, dimensions, format, texts: [query] }, signal);
    const { answerQuery } = await importArithmetic();
    setAnswer(answerQuery(of, query, reply));
  }, []);

  /** Embeds and compares; ranks by `query` afterwards when there is one. */
  const embed = useCallback(
    (of: EmbeddingsCall, query: string) =>
      run("texts", async (signal) => {
        const [reply, { compare }] = await Promise.all([call(of, signal), importArithmetic()]);
        const count = of.texts.length;
        const onRow = (done: number) => setWork({ kind: "comparing", done, count });
        const next = await compare(of, reply, { signal, onRow });
        setComparison(next);
        setAnswer(null);
        if (query.trim() === "") return;
        setWork({ kind: "calling", what: "query" });
        await rank(next, query, signal);
      }),
    [run, rank],
  );

  const ask = useCallback(
    (of: Comparison, query: string) => run("query", (signal) => rank(of, query, signal)),
    [run, rank],
  );

  const stop = useCallback(() => running.current?.abort(), []);
  const clear = useCallback(() => {
    running.current?.abort();
    setComparison(null);
    setAnswer(null);
  }, []);
  const isRunning = work.kind === "calling" || work.kind === "comparing";
  return { work, isRunning, comparison, answer, embed, ask, stop, clear };
}
