"use client";

import type { ReactNode } from "react";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { cn } from "../ui/class-names";
import { CallFacts } from "./call-facts";
import type { Answer, Comparison } from "./comparison";
import type { FocusStore } from "./focus";
import { Matrix } from "./matrix";
import { NearPanel } from "./neighbours-panel";
import { PointMap } from "./point-map";
import { Readout } from "./readout";

/** Fewer texts than this have no map worth the name. */
const LEAST_FOR_MAP = 3;

export interface ResultsProps {
  comparison: Comparison;
  answer: Answer | null;
  model: GatewayModel | undefined;
  focus: FocusStore;
  isAlike: boolean;
  query: string;
  isAsking: boolean;
  /** What stands over an outdated comparison; null: it is the newest. */
  veil: ReactNode;
  onAlike(isAlike: boolean): void;
  onCell(cell: number | null): void;
  onQuery(query: string): void;
  onAsk(): void;
}

/** The matrix with its readout, the map and the ranking. Loaded with the first call: a first visit shows none of it. */
export function Results({ comparison, answer, model, focus, veil, ...page }: ResultsProps) {
  const isOld = veil !== null;
  return (
    <>
      <div className="relative grid min-w-0 content-start gap-4">
        <div inert={isOld} className={cn("grid min-w-0 gap-4 transition-opacity", isOld && "opacity-40")}>
          <Matrix
            comparison={comparison}
            focus={focus}
            isAlike={page.isAlike}
            onAlike={page.onAlike}
            onCell={page.onCell}
          />
          <Readout comparison={comparison} focus={focus} />
          <CallFacts comparison={comparison} model={model} />
        </div>
        {isOld ? <div className="absolute inset-x-0 top-40 grid justify-items-center">{veil}</div> : null}
      </div>
      <div
        inert={isOld}
        className={cn(
          "grid min-w-0 content-start gap-x-6 gap-y-8 transition-opacity md:col-span-2 md:grid-cols-2 min-[87.5rem]:col-span-1 min-[87.5rem]:grid-cols-1",
          isOld && "opacity-40",
        )}
      >
        {comparison.call.texts.length >= LEAST_FOR_MAP ? (
          <PointMap comparison={comparison} answer={answer} focus={focus} />
        ) : null}
        <NearPanel
          comparison={comparison}
          answer={answer}
          focus={focus}
          query={page.query}
          isAsking={page.isAsking}
          onQuery={page.onQuery}
          onAsk={page.onAsk}
        />
      </div>
    </>
  );
}
