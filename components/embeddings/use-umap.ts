"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Comparison } from "./comparison";
import type { UmapInput } from "./umap";
import type { UmapMessage } from "./umap-worker";

/** Fewest texts for which UMAP is offered. */
export const MIN_UMAP_TEXTS = 5;

export type UmapState =
  | { kind: "none" }
  | { kind: "running"; done: number; count: number }
  | { kind: "done"; points: Float64Array }
  | { kind: "failed" };

/** Lays out the texts of a comparison by UMAP in a worker, whose code is loaded on the first `start`. */
export function useUmap({ cosines, projection }: Comparison) {
  const [state, setState] = useState<UmapState>({ kind: "none" });
  const worker = useRef<Worker | null>(null);

  const stop = useCallback(() => {
    worker.current?.terminate();
    worker.current = null;
  }, []);
  const finish = useCallback(
    (next: UmapState) => {
      stop();
      setState(next);
    },
    [stop],
  );
  const start = useCallback(() => {
    stop();
    setState({ kind: "running", done: 0, count: 0 });
    const running = new Worker(new URL("./umap-worker.ts", import.meta.url), { type: "module" });
    worker.current = running;
    running.onmessage = ({ data }: MessageEvent<UmapMessage>) => {
      if (data.kind === "done") finish(data);
      else setState({ kind: "running", done: data.done, count: data.count });
    };
    running.onerror = () => finish({ kind: "failed" });
    running.postMessage({ cosines, start: projection.points } satisfies UmapInput);
  }, [cosines, projection, stop, finish]);
  const cancel = useCallback(() => finish({ kind: "none" }), [finish]);

  useEffect(() => stop, [stop]);
  return { state, start, cancel };
}
