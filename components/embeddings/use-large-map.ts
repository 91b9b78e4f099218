"use client";

import { useMemo, useState } from "react";
import { type Cluster, findClusters } from "./clusters";
import type { Comparison, QueryResult } from "./comparison";
import { type MapScene, placeByNeighbours } from "./map-geometry";
import { useUmap } from "./use-umap";

export type MapMethod = "pca" | "umap";
export type MapView = "map" | "table";

const NO_CLUSTERS: readonly Cluster[] = [];

/** What the large map shows: the layout of a method, clusters if wanted, as a map or as a table. */
export function useLargeMap(comparison: Comparison, queryResult: QueryResult | null) {
  const { call, projection, cosines, clustering } = comparison;
  const [view, setView] = useState<MapView>("map");
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
