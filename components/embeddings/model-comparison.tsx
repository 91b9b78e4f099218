"use client";

import { ArrowDownIcon, ArrowUpIcon, EqualIcon } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { useAmounts } from "../charts/use-amounts";
import { FailureNotice } from "../playground/failure-notice";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { NativeSelect, SelectOptions } from "../ui/input";
import type { Comparison } from "./comparison";
import { type FocusStore, useFocus } from "./focus-store";
import { MoreButton } from "./more-button";
import { compareRanks, differencesOf, type RankedNeighbour } from "./rank-differences";
import { cosines, dotProducts, pause, type SquareMatrix } from "./similarity";
import { callModel, useAbortableRun } from "./use-comparison";

type ModelComparisonState = ReturnType<typeof useModelComparison>;

const INITIAL_TEXTS = 8;

/** A second model on the same texts: which neighbours of each text moved, and by how many ranks. */
export function ModelComparison({
  comparison,
  models,
  focus,
}: {
  comparison: Comparison;
  models: readonly GatewayModel[];
  focus: FocusStore;
}) {
  const t = useTranslations("embeddings.models");
  const id = useId();
  const state = useModelComparison(comparison, models, focus);
  if (state.others.length === 0 || state.top < 1) return null;
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 gap-4 border-t pt-6">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <div className="grid gap-0.5">
          <h2 id={id} className="text-lg">
            {t("title")}
          </h2>
          <p className="text-sm text-ink-muted">{t("lead", { model: comparison.call.model })}</p>
        </div>
        <div className="flex gap-2 sm:ml-auto">
          <NativeSelect
            aria-label={t("second")}
            value={state.model}
            onChange={(event) => state.setChosen(event.target.value)}
            className="min-w-48"
          >
            <SelectOptions of={state.others.map(({ name }) => [name, name])} />
          </NativeSelect>
          <Button variant="outline" isBusy={state.isRunning} onClick={() => void state.start()}>
            {t("compare")}
          </Button>
        </div>
      </div>
      {state.status.kind === "failed" ? (
        <FailureNotice failure={state.status.failure} onRetry={() => void state.start()} />
      ) : null}
      {state.second ? <Differences state={state} comparison={comparison} focus={focus} /> : null}
    </section>
  );
}

interface DifferencesProps {
  state: ModelComparisonState;
  comparison: Comparison;
  focus: FocusStore;
}

function Differences({ state, comparison, focus }: DifferencesProps) {
  const t = useTranslations("embeddings.models");
  const format = useAmounts();
  const { texts, model } = comparison.call;
  const { ranks, second, top, row } = state;
  if (!ranks || !second) return null;
  return (
    <div className="grid gap-4">
      <p role="status" className="text-sm">
        {t("overlap", { share: format.share(state.overlap), top })}
      </p>
      <div className="grid gap-x-6 gap-y-6 lg:grid-cols-3">
        <ChangedTexts state={state} comparison={comparison} focus={focus} />
        <RankList
          title={model}
          about={t("toText", { number: row + 1 })}
          texts={texts}
          neighbours={ranks.first}
        />
        <RankList
          title={second.model}
          about={t("moves", { model })}
          texts={texts}
          neighbours={ranks.second}
          hasMoves
        />
      </div>
    </div>
  );
}

/** The texts whose neighbours differ most; a click pins one. */
function ChangedTexts({ state, comparison, focus }: DifferencesProps) {
  const t = useTranslations("embeddings.models");
  const [limit, setLimit] = useState(INITIAL_TEXTS);
  const hidden = state.differences.length - limit;
  return (
    <section aria-label={t("texts")} className="grid min-w-0 content-start gap-2">
      <h3 className="font-medium">{t("texts")}</h3>
      <ul className="-mx-2 grid">
        {state.differences.slice(0, limit).map(({ index, shared }) => (
          <li key={index}>
            <button
              type="button"
              aria-pressed={state.row === index}
              onClick={() => focus.pin({ row: index, column: null })}
              className={cn(
                "grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-sm px-2 py-1.5 text-left text-sm hover:bg-hover",
                state.row === index && "bg-signal-soft",
              )}
            >
              <span className="tabular min-w-5 text-xs text-ink-faint">{index + 1}</span>
              <span className="truncate">{comparison.call.texts[index]}</span>
              <span className="tabular text-ink-muted">{t("shared", { count: shared, top: state.top })}</span>
            </button>
          </li>
        ))}
      </ul>
      {hidden > 0 ? (
        <MoreButton onClick={() => setLimit(limit + INITIAL_TEXTS * 5)}>
          {t("more", { count: Math.min(hidden, INITIAL_TEXTS * 5) })}
        </MoreButton>
      ) : null}
    </section>
  );
}

function RankList({
  title,
  about,
  texts,
  neighbours,
  hasMoves = false,
}: {
  title: string;
  about: string;
  texts: readonly string[];
  neighbours: readonly RankedNeighbour[];
  hasMoves?: boolean;
}) {
  return (
    <section aria-label={title} className="grid min-w-0 content-start gap-2">
      <h3 className="truncate font-mono text-sm">{title}</h3>
      <p className="text-xs text-ink-faint">{about}</p>
      <ol className="-mx-2 grid">
        {neighbours.map((one) => (
          <li
            key={one.index}
            className="grid grid-cols-[auto_minmax(0,1fr)_auto_auto] items-baseline gap-x-2 px-2 py-1.5 text-sm"
          >
            <span className="tabular min-w-5 text-xs text-ink-faint">{one.rank}</span>
            <span title={texts[one.index]} className="truncate">
              {texts[one.index]}
            </span>
            {hasMoves ? <Move from={one.otherRank} to={one.rank} /> : null}
            <span className="tabular">{one.similarity.toFixed(3)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** By how many ranks a neighbour moved from the first model to the second. */
function Move({ from, to }: { from: number; to: number }) {
  const t = useTranslations("embeddings.models");
  const places = Math.abs(from - to);
  const [Icon, text] =
    from > to
      ? ([ArrowUpIcon, t("up", { count: places, from })] as const)
      : from < to
        ? ([ArrowDownIcon, t("down", { count: places, from })] as const)
        : ([EqualIcon, t("same")] as const);
  return (
    <span
      title={text}
      className={cn(
        "tabular inline-flex items-center gap-0.5 self-center text-xs",
        from > to ? "text-good" : from < to ? "text-warn" : "text-ink-faint",
      )}
    >
      <Icon aria-hidden="true" className="size-3.5" />
      <span aria-hidden="true">{places > 0 ? places : ""}</span>
      <span className="sr-only">{text}</span>
    </span>
  );
}

/** Neighbours of each text that are compared. */
const NEIGHBOURS = 5;

/** Vectors of the same texts by another model. */
interface SecondModel {
  /** The comparison whose texts these are. */
  of: Comparison;
  model: string;
  cosines: SquareMatrix;
}

/** Embeds the texts of a comparison with a second model and compares the neighbours that both give. */
function useModelComparison(comparison: Comparison, models: readonly GatewayModel[], focus: FocusStore) {
  const others = models.filter((one) => one.name !== comparison.call.model);
  const [chosen, setChosen] = useState("");
  const model = others.find((one) => one.name === chosen)?.name ?? others[0]?.name ?? "";
  const [loaded, setLoaded] = useState<SecondModel | null>(null);
  const { status, run } = useAbortableRun();
  // A new comparison of the texts makes the second model's vectors outdated.
  const second = loaded?.of === comparison ? loaded : null;
  const count = comparison.cosines.count;
  const top = Math.min(NEIGHBOURS, count - 1);

  const start = () =>
    run("texts", async (signal) => {
      const call = { ...comparison.call, model, dimensions: null };
      const reply = await callModel(call, signal);
      setLoaded({
        of: comparison,
        model,
        cosines: cosines(await dotProducts(reply.vectors, { signal, pause })),
      });
    });

  const differences = useMemo(
    () => (second ? differencesOf(comparison.cosines, second.cosines, top) : []),
    [comparison, second, top],
  );
  const pinned = useFocus(focus, (state) => state.pinned?.row ?? null);
  const row = pinned ?? differences[0]?.index ?? 0;
  const ranks = useMemo(
    () => (second ? compareRanks(comparison.cosines, second.cosines, row, top) : null),
    [comparison, second, row, top],
  );
  return {
    others,
    model,
    setChosen,
    status,
    isRunning: status.kind === "calling",
    start,
    second,
    top,
    row,
    ranks,
    differences,
    /** Share (0–1) of the nearest neighbours that both models have, over all texts. */
    overlap: differences.reduce((sum, one) => sum + one.shared, 0) / Math.max(1, count * top),
  };
}
