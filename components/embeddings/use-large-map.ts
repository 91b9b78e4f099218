"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { type Cluster, findClusters } from "./clusters";
import type { Comparison, QueryResult } from "./comparison";
import { type MapScene, placeByNeighbours } from "./map-geometry";
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
function useUmap({ cosines, projection }: Comparison) {
  const [state, setState] = useState<UmapState>({ kind: "none" });
  const worker = useRef<Worker | null>(null);

  useEffect(() => () => worker.current?.terminate(), []);

  const finish = (next: UmapState) => {
    worker.current?.terminate();
    worker.current = null;
    setState(next);
  };
  const start = () => {
    finish({ kind: "running", done: 0, count: 0 });
    const running = new Worker(new URL("./umap-worker.ts", import.meta.url), { type: "module" });
    worker.current = running;
    running.onmessage = ({ data }: MessageEvent<UmapMessage>) => {
      if (data.kind === "done") finish(data);
      else setState({ kind: "running", done: data.done, count: data.count });
    };
    running.onerror = () => finish({ kind: "failed" });
    running.postMessage({ cosines, start: projection.points } satisfies UmapInput);
  };
  return { state, start, cancel: () => finish({ kind: "none" }) };
}

export type MapMethod = "pca" | "umap";
export type MapOrTable = "map" | "table";

const NO_CLUSTERS: readonly Cluster[] = [];

/** State of the large map: the layout method (PCA or UMAP), whether clusters are outlined, and map or table. */
export function useLargeMap(comparison: Comparison, queryResult: QueryResult | null) {
  const { call, projection, cosines, clustering } = comparison;
  const [view, setView] = useState<MapOrTable>("map");
  const [method, setMethod] = useState<MapMethod>("pca");
  const [hasClusters, setClusters] = useState(false);
  const umap = useUmap(comparison);
  const umapPoints = method === "umap" && umap.state.kind === "done" ? umap.state.points : null;

  const clusters = useMemo(() => findClusters(cosines, clustering), [cosines, clustering]);
  const scene: MapScene = useMemo(() => {
    const points = umapPoints ?? projection.points;
    const query =
      queryResult && umapPoints
        ? placeByNeighbours(points, queryResult.ranking)
        : (queryResult?.point ?? null);
    return { texts: call.texts, points, query, clusters: hasClusters ? clusters : NO_CLUSTERS };
  }, [call.texts, projection.points, umapPoints, queryResult, hasClusters, clusters]);

  const choose = (next: MapMethod) => {
    setMethod(next);
    if (next === "umap" && umap.state.kind !== "done") umap.start();
    if (next === "pca" && umap.state.kind === "running") umap.cancel();
  };
  return {
    view,
    setView,
    method,
    choose,
    umap: umap.state,
    hasClusters,
    setClusters,
    clusters,
    scene,
  };
}
