"use client";

import { XIcon } from "lucide-react";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import type { Comparison, QueryResult } from "./comparison";
import { type Focus, type FocusStore, useFocus } from "./focus-store";
import { NeighbourRow } from "./neighbour-row";
import { neighboursOf } from "./similarity";

const INITIAL_ROWS = 8;
const ROWS_PER_STEP = 40;

interface RankingRow {
  id: string;
  similarity: number;
  number: string;
  text: string;
  focus: Focus;
}

/** What the panel ranks: the texts by a query, the neighbours of a text, or all pairs. */
type Ranking = { kind: "query"; result: QueryResult } | { kind: "pinned"; pinned: Focus } | { kind: "pairs" };

/** Ranks the texts by similarity: to a query, else to the pinned text, else shows the most similar pairs. */
export function NeighboursPanel({
  comparison,
  queryResult,
  focus,
  query,
  isRanking,
  onQuery,
  onRank,
}: {
  comparison: Comparison;
  queryResult: QueryResult | null;
  focus: FocusStore;
  query: string;
  isRanking: boolean;
  onQuery(query: string): void;
  onRank(): void;
}) {
  const t = useTranslations("embeddings.neighbours");
  const id = useId();
  const { ranking, limit, showMore, showPairs } = useRanking(queryResult, focus);
  const rows = rowsOf(ranking, comparison);
  const hidden = Math.max(0, rows.length - limit);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (query.trim() !== "") onRank();
  };
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <h2 id={`${id}-title`} className="flex min-h-9 items-center text-lg">
        {t("title")}
      </h2>
      <Form onSubmit={onSubmit} className="flex gap-2">
        <label htmlFor={`${id}-query`} className="sr-only">
          {t("query")}
        </label>
        <Input
          id={`${id}-query`}
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          placeholder={t("placeholder")}
          enterKeyHint="search"
          className="min-w-0"
        />
        <Button type="submit" variant="outline" isBusy={isRanking} disabled={query.trim() === ""}>
          {t("rank")}
        </Button>
      </Form>
      <div className="grid gap-1">
        <p className="flex min-h-8 items-center text-xs text-ink-faint" role="status">
          <span>
            <Caption ranking={ranking} />
          </span>
          {ranking.kind === "pairs" ? null : (
            <Button
              variant="ghost"
              size="icon-sm"
              className="ml-auto"
              aria-label={t("backToPairs")}
              onClick={showPairs}
            >
              <XIcon />
            </Button>
          )}
        </p>
        {rows.length === 0 ? <p className="text-sm text-ink-muted">{t("none")}</p> : null}
        <ol aria-label={ranking.kind === "query" ? t("toQuery") : t("title")} className="-mx-2 grid">
          {rows.slice(0, limit).map((row) => (
            <NeighbourRow key={row.id} {...row} store={focus} />
          ))}
        </ol>
        {hidden > 0 ? (
          <Button variant="ghost" size="sm" className="justify-self-start" onClick={showMore}>
            {t("more", { count: Math.min(hidden, ROWS_PER_STEP) })}
          </Button>
        ) : null}
      </div>
    </section>
  );
}

/** Chooses the ranking: of a new query result and a newly pinned text, the later one is shown. */
function useRanking(queryResult: QueryResult | null, focus: FocusStore) {
  const pinned = useFocus(focus, (state) => state.pinned);
  const [seen, setSeen] = useState<{ queryResult: QueryResult | null; pinned: Focus | null }>({
    queryResult,
    pinned,
  });
  const [kind, setKind] = useState<Ranking["kind"]>(queryResult ? "query" : "pairs");
  const [limit, setLimit] = useState(INITIAL_ROWS);
  if (seen.queryResult !== queryResult || seen.pinned !== pinned) {
    setSeen({ queryResult, pinned });
    setLimit(INITIAL_ROWS);
    const isNewPin = seen.queryResult === queryResult && pinned !== null;
    setKind(isNewPin ? "pinned" : queryResult ? "query" : "pairs");
  }

  let ranking: Ranking = { kind: "pairs" };
  if (kind === "query" && queryResult) ranking = { kind, result: queryResult };
  if (kind === "pinned" && pinned) ranking = { kind, pinned };
  return {
    ranking,
    limit,
    showMore: () => setLimit(limit + ROWS_PER_STEP),
    showPairs: () => {
      focus.pin(null);
      setKind("pairs");
    },
  };
}

function rowsOf(ranking: Ranking, { call: { texts }, cosines, pairs }: Comparison): RankingRow[] {
  const rowOf = (index: number, similarity: number, focus: Focus): RankingRow => ({
    id: String(index),
    similarity,
    number: String(index + 1),
    text: texts[index] ?? "",
    focus,
  });
  switch (ranking.kind) {
    case "query":
      return ranking.result.ranking.map(({ index, similarity }) =>
        rowOf(index, similarity, { row: index, column: null }),
      );
    case "pinned": {
      const { row } = ranking.pinned;
      return neighboursOf(cosines, row).map(({ index, similarity }) =>
        rowOf(index, similarity, { row, column: index }),
      );
    }
    case "pairs":
      return pairs.map(({ row, column, similarity }) => ({
        id: `${row}-${column}`,
        similarity,
        number: `${row + 1}–${column + 1}`,
        text: texts[row] ?? "",
        focus: { row, column },
      }));
    default:
      return ranking satisfies never;
  }
}

function Caption({ ranking }: { ranking: Ranking }): ReactNode {
  const t = useTranslations("embeddings.neighbours");
  const format = useAmounts();
  switch (ranking.kind) {
    case "query": {
      const { inputTokens, elapsedMs } = ranking.result;
      return (
        <>
          <span className="text-ink">{t("toQuery")}</span>{" "}
          {t("used", { tokens: inputTokens, time: format.ms(elapsedMs) })}
        </>
      );
    }
    case "pinned":
      return <span className="text-ink">{t("toText", { number: ranking.pinned.row + 1 })}</span>;
    case "pairs":
      return <span className="text-ink">{t("pairs")}</span>;
    default:
      return ranking satisfies never;
  }
}
