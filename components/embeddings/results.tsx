"use client";

import type { ReactNode } from "react";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { cn } from "../ui/class-names";
import { CallFacts } from "./call-facts";
import type { Comparison, QueryResult } from "./comparison";
import type { FocusStore } from "./focus-store";
import { Matrix } from "./matrix";
import { NeighboursPanel } from "./neighbours-panel";
import { PointMap } from "./point-map";
import { Readout } from "./readout";

/** A map of fewer texts shows nothing. */
const MIN_TEXTS_FOR_MAP = 3;

export interface ResultsProps {
  comparison: Comparison;
  queryResult: QueryResult | null;
  model: GatewayModel | undefined;
  focus: FocusStore;
  isGrouped: boolean;
  query: string;
  isRanking: boolean;
  /** Shown over an outdated comparison; null when the comparison is up to date. */
  overlay: ReactNode;
  onGroupedChange(isGrouped: boolean): void;
  onCellSize(cell: number | null): void;
  onQuery(query: string): void;
  onRank(): void;
}

/** The matrix with its readout, the map and the ranking. Loaded with the first call, not with the page. */
export function Results({ comparison, queryResult, model, focus, overlay, ...page }: ResultsProps) {
  const isOutdated = overlay !== null;
  return (
    <>
      <div className="relative grid min-w-0 content-start gap-4">
        <div
          inert={isOutdated}
          className={cn("grid min-w-0 gap-4 transition-opacity", isOutdated && "opacity-40")}
        >
          <Matrix
            comparison={comparison}
            focus={focus}
            isGrouped={page.isGrouped}
            onGroupedChange={page.onGroupedChange}
            onCellSize={page.onCellSize}
          />
          <Readout comparison={comparison} focus={focus} />
          <CallFacts comparison={comparison} model={model} />
        </div>
        {isOutdated ? (
          <div className="absolute inset-x-0 top-40 grid justify-items-center">{overlay}</div>
        ) : null}
      </div>
      <div
        inert={isOutdated}
        className={cn(
          "grid min-w-0 content-start gap-x-6 gap-y-8 transition-opacity md:col-span-2 md:grid-cols-2 min-[87.5rem]:col-span-1 min-[87.5rem]:grid-cols-1",
          isOutdated && "opacity-40",
        )}
      >
        {comparison.call.texts.length >= MIN_TEXTS_FOR_MAP ? (
          <PointMap comparison={comparison} queryResult={queryResult} focus={focus} />
        ) : null}
        <NeighboursPanel
          comparison={comparison}
          queryResult={queryResult}
          focus={focus}
          query={page.query}
          isRanking={page.isRanking}
          onQuery={page.onQuery}
          onRank={page.onRank}
        />
      </div>
    </>
  );
}
