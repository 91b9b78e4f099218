"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { estimateCost, type GatewayModel, pricingOfModel } from "@/lib/client/gateway-models";
import { codePoints } from "@/lib/contracts/code-points";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";
import type { Comparison } from "./comparison";
import { type Focus, type FocusStore, highlightOf, useFocus } from "./focus-store";
import { Matrix } from "./matrix";
import { NeighboursPanel } from "./neighbours-panel";
import { PointMap } from "./point-map";
import { SearchPanel } from "./search-panel";
import { valueAt } from "./similarity";
import type { EmbeddingsPlaygroundState } from "./use-embeddings-playground";

/** Value and texts of the highlighted cell; without a highlight, of the most similar pair. */
function Readout({ comparison, focus }: { comparison: Comparison; focus: FocusStore }) {
  const t = useTranslations("embeddings.matrix");
  const highlight = useFocus(focus, highlightOf);
  const [nearest] = comparison.pairs;
  const shown: Focus | null = highlight ?? (nearest ? { row: nearest.row, column: nearest.column } : null);
  if (!shown) return <p className="text-sm text-ink-muted">{t("hint")}</p>;
  const { row, column } = shown;
  const title = highlight === null ? "nearest" : column === null ? "one" : row === column ? "self" : "here";
  return (
    <div className="grid min-h-24 grid-cols-[5.5rem_minmax(0,1fr)] content-start gap-x-4 border-t pt-3">
      <div className="grid content-start gap-0.5">
        <span className="text-xs text-ink-faint">{t(title)}</span>
        <output className="text-2xl tracking-tight">
          {column === null ? `#${row + 1}` : valueAt(comparison.cosines, row, column).toFixed(3)}
        </output>
      </div>
      <div className="grid content-start gap-1">
        {[row, ...(column === null || column === row ? [] : [column])].map((index) => (
          <p key={index} className="flex gap-2 text-sm">
            <span className="tabular w-7 shrink-0 text-right text-xs leading-5 text-ink-faint">
              {index + 1}
            </span>
            <span className="line-clamp-2 break-words">{comparison.call.texts[index]}</span>
          </p>
        ))}
      </div>
    </div>
  );
}

/** Tokens, latency, cost, size and channel of a call. */
function CallFacts({ comparison, model }: { comparison: Comparison; model: GatewayModel | undefined }) {
  const t = useTranslations("playground.facts");
  const format = useAmounts();
  const { call, reply } = comparison;
  const characters = call.texts.reduce((sum, text) => sum + codePoints(text), 0);
  const costText = (): string => {
    if (!model) return t("unknown");
    if (reply.cache === "hit") return t("free");
    if (pricingOfModel(model) === "unpriced") return t("noPrice");
    const cost = estimateCost(model.prices, { inputTokens: reply.inputTokens, characters, seconds: 0 });
    if (cost === 0) return t("free");
    // On a miss, some of the texts may still have come from the cache.
    return reply.cache === "miss" ? t("atMost", { cost: format.money(cost) }) : format.money(cost);
  };
  const facts: [string, ReactNode][] = [
    [t("tokens"), format.count(reply.inputTokens)],
    [t("latency"), format.ms(reply.elapsedMs)],
    [t("cost"), costText()],
    [t("size"), format.bytes(reply.bytes)],
    // A cached reply has no channel.
    ...(reply.channel === null ? [] : [[t("channel"), reply.channel] satisfies [string, ReactNode]]),
    ...(reply.cache === null ? [] : [[t("cache"), reply.cache] satisfies [string, ReactNode]]),
  ];
  return (
    <dl aria-label={t("label")} className="flex flex-wrap items-center gap-x-5 gap-y-1 border-t pt-2 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex items-baseline gap-1.5">
          <dt className="text-xs text-ink-faint">{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
      {reply.requestId ? (
        <div className="flex items-center gap-1.5">
          <dt className="text-xs text-ink-faint">{t("request")}</dt>
          <dd className="flex items-center">
            <code className="max-w-40 truncate">{reply.requestId}</code>
            <CopyButton value={reply.requestId} name={t("copyRequest")} />
          </dd>
        </div>
      ) : null}
    </dl>
  );
}

/** A map of fewer texts would show nothing useful. */
const MIN_TEXTS_FOR_MAP = 3;

interface ResultsProps {
  page: EmbeddingsPlaygroundState;
  comparison: Comparison;
  model: GatewayModel | undefined;
  isGrouped: boolean;
  /** Shown over an outdated comparison; null when the comparison is up to date. */
  overlay: ReactNode;
  onGroupedChange(isGrouped: boolean): void;
  onCellSize(cell: number | null): void;
}

/** The matrix with its readout, the map and the ranking. Loaded with the first call, not with the page. */
export function Results({ page, comparison, model, overlay, ...order }: ResultsProps) {
  const { focus, queryResult } = page;
  const isOutdated = overlay !== null;
  const fading = cn("transition-opacity", isOutdated && "opacity-40");
  return (
    <>
      <div className="relative grid min-w-0 content-start gap-4">
        <div inert={isOutdated} className={cn("grid min-w-0 gap-4", fading)}>
          <Matrix comparison={comparison} focus={focus} {...order} />
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
          "grid min-w-0 content-start gap-x-6 gap-y-8 md:col-span-2 md:grid-cols-2 min-[87.5rem]:col-span-1 min-[87.5rem]:grid-cols-1",
          fading,
        )}
      >
        <SearchPanel page={page} comparison={comparison} />
        {comparison.call.texts.length >= MIN_TEXTS_FOR_MAP ? (
          <PointMap comparison={comparison} queryResult={queryResult} focus={focus} />
        ) : null}
      </div>
      <div inert={isOutdated} className={cn("min-w-0 md:col-span-full", fading)}>
        <NeighboursPanel comparison={comparison} focus={focus} />
      </div>
    </>
  );
}
