"use client";

import { SearchIcon } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import { Input, NativeSelect, SelectOptions } from "../ui/input";
import { SentenceGap } from "../ui/sentence-gap";
import type { Comparison, QueryResult } from "./comparison";
import type { FocusStore } from "./focus-store";
import { NeighbourRow } from "./neighbours-panel";
import type { EmbeddingsPlaygroundState } from "./use-embeddings-playground";

/** How many results a search shows. */
const TOP = [3, 5, 10, 20, 50] as const;
const DEFAULT_TOP = 5;

/** A retrieval over the texts: the query is embedded and the nearest texts are listed with their cosine. */
export function SearchPanel({
  page,
  comparison,
}: {
  page: EmbeddingsPlaygroundState;
  comparison: Comparison;
}) {
  const { query } = page.draft;
  const t = useTranslations("embeddings.search");
  const id = useId();
  const [top, setTop] = useState<number>(DEFAULT_TOP);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (query.trim() !== "") page.rankTexts();
  };
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="flex min-h-9 items-center gap-2">
        <h2 id={`${id}-title`} className="text-lg">
          {t("title")}
        </h2>
        <label htmlFor={`${id}-top`} className="ml-auto text-sm text-ink-muted">
          {t("top")}
        </label>
        <NativeSelect
          id={`${id}-top`}
          value={String(top)}
          onChange={(event) => setTop(Number(event.target.value))}
          className="w-20"
        >
          <SelectOptions of={TOP.map((count) => [count, count])} />
        </NativeSelect>
      </div>
      <Form onSubmit={onSubmit} className="flex gap-2">
        <label htmlFor={`${id}-query`} className="sr-only">
          {t("query")}
        </label>
        <Input
          id={`${id}-query`}
          type="search"
          value={query}
          onChange={(event) => page.change({ query: event.target.value })}
          placeholder={t("placeholder")}
          enterKeyHint="search"
          className="min-w-0"
        />
        <Button
          type="submit"
          variant="outline"
          aria-label={t("action")}
          isBusy={page.isRanking}
          disabled={query.trim() === ""}
        >
          <SearchIcon />
        </Button>
      </Form>
      {page.queryResult ? (
        <SearchResults texts={comparison.call.texts} result={page.queryResult} top={top} focus={page.focus} />
      ) : null}
    </section>
  );
}

function SearchResults({
  texts,
  result,
  top,
  focus,
}: {
  texts: readonly string[];
  result: QueryResult;
  top: number;
  focus: FocusStore;
}) {
  const t = useTranslations("embeddings.search");
  const format = useAmounts();
  return (
    <div className="grid gap-1">
      <p role="status" className="text-xs text-ink-faint">
        <span className="text-ink">
          {t("found", { count: Math.min(top, texts.length), all: texts.length, query: result.query })}
        </span>
        <SentenceGap />
        {t("used", { tokens: result.inputTokens, time: format.ms(result.elapsedMs) })}
      </p>
      {result.hasTasks ? <p className="text-xs text-ink-faint">{t("tasks")}</p> : null}
      <ol aria-label={t("results")} className="-mx-2 grid">
        {result.ranking.slice(0, top).map(({ index, similarity }, at) => (
          <NeighbourRow
            key={index}
            similarity={similarity}
            number={String(at + 1)}
            text={texts[index] ?? ""}
            focus={{ row: index, column: null }}
            store={focus}
          />
        ))}
      </ol>
    </div>
  );
}
