"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { type EmbeddingsCall, embedTexts, type RetrievalTask } from "@/lib/client/embeddings-call";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { loadPart } from "@/lib/client/load-part";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import type { Comparison, QueryResult } from "./comparison";

/** What a call embeds. */
type CallInput = "texts" | "query";

export type ComparisonStatus =
  | { kind: "idle" }
  | { kind: "calling"; input: CallInput }
  | { kind: "comparing"; done: number; count: number }
  | { kind: "failed"; failure: GatewayFailure; input: CallInput };

/** Loads the comparison code while the first call is running. */
const importComparison = () => loadPart(() => import("./comparison"));

export const callModel = (call: EmbeddingsCall, signal: AbortSignal, task?: RetrievalTask) =>
  withPlaygroundKey((key) => embedTexts(call, { key, signal, task }));

/**
 * Embeds the texts of a comparison as documents of a retrieval. Their vectors are kept for the next query of the same
 * comparison.
 */
function useDocuments() {
  const known = useRef<{
    of: Comparison;
    vectors: Promise<readonly Float32Array[]>;
    abort: AbortController;
  } | null>(null);
  useEffect(() => () => known.current?.abort.abort(), []);
  return (of: Comparison) => {
    if (known.current?.of === of) return known.current.vectors;
    // Aborting the query that sent this call does not abort the call: the next query needs the vectors too. Only a query
    // of another comparison does, or leaving the page.
    known.current?.abort.abort();
    const abort = new AbortController();
    const vectors = callModel(of.call, abort.signal, "RETRIEVAL_DOCUMENT").then((reply) => reply.vectors);
    known.current = { of, vectors, abort };
    // A failed call is sent again with the next query.
    vectors.catch(() => {
      if (known.current?.vectors === vectors) known.current = null;
    });
    return vectors;
  };
}

/**
 * Calls the model and compares the vectors of its reply. A new call aborts the running one. `hasTaskTypes`: whether a
 * model embeds queries and documents differently.
 */
export function useComparison(hasTaskTypes: (model: string) => boolean) {
  const { status, setStatus, run, stop } = useAbortableRun();
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const [queryResult, setQueryResult] = useState<QueryResult | null>(null);
  const embedDocuments = useDocuments();

  const embedQuery = async (of: Comparison, query: string, signal: AbortSignal) => {
    const { model, dimensions, format } = of.call;
    const hasTasks = hasTaskTypes(model);
    const call: EmbeddingsCall = { model, dimensions, format, texts: [query] };
    const [reply, documents, { rankByQuery }] = await Promise.all([
      callModel(call, signal, hasTasks ? "RETRIEVAL_QUERY" : undefined),
      hasTasks ? embedDocuments(of) : of.reply.vectors,
      importComparison(),
    ]);
    signal.throwIfAborted();
    setQueryResult(rankByQuery(of, documents, { query, reply, hasTasks }));
  };

  /** Embeds and compares the texts of a call, then ranks them by `query` unless it is blank. */
  const embed = (call: EmbeddingsCall, query: string) =>
    run("texts", async (signal) => {
      const [reply, { compare }] = await Promise.all([callModel(call, signal), importComparison()]);
      signal.throwIfAborted();
      const count = call.texts.length;
      const onRow = (done: number) => setStatus({ kind: "comparing", done, count });
      const next = await compare(call, reply, { signal, onRow });
      setComparison(next);
      setQueryResult(null);
      if (query.trim() === "") return;
      setStatus({ kind: "calling", input: "query" });
      await embedQuery(next, query, signal);
    });

  /** Ranks the texts of a comparison by another query. */
  const rank = (of: Comparison, query: string) => run("query", (signal) => embedQuery(of, query, signal));

  // Stable: the rows of the list are memoised.
  const clear = useCallback(() => {
    stop();
    setComparison(null);
    setQueryResult(null);
  }, [stop]);
  const isRunning = status.kind === "calling" || status.kind === "comparing";
  return { status, isRunning, comparison, queryResult, embed, rank, stop, clear };
}

/** Runs one action at a time: a new one aborts the running one. */
export function useAbortableRun() {
  const [status, setStatus] = useState<ComparisonStatus>({ kind: "idle" });
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  /** Runs `action`; its failure becomes the status. An abort ends the run even while `action` awaits an import. */
  const run = async (input: CallInput, action: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setStatus({ kind: "calling", input });
    let failure: GatewayFailure | null = null;
    const aborted = new Promise<never>((_, reject) => {
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
    });
    try {
      await Promise.race([action(abort.signal), aborted]);
    } catch (error) {
      failure = abort.signal.aborted ? null : failureOfError(error);
    }
    if (running.current !== abort) return;
    running.current = null;
    setStatus(failure ? { kind: "failed", failure, input } : { kind: "idle" });
  };

  const stop = useCallback(() => running.current?.abort(), []);
  return { status, setStatus, run, stop };
}
