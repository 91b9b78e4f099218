"use client";

import { XIcon } from "lucide-react";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { neighboursOf } from "@/components/embeddings/similarity";
import { useQuantities } from "../charts/use-quantities";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import type { Answer, Comparison } from "./comparison";
import { type Focus, type FocusStore, useFocus } from "./focus";
import { NearRow } from "./neighbour-row";

const AT_FIRST = 8;
const AT_ONCE = 40;

interface Line {
  id: string;
  similarity: number;
  number: string;
  text: string;
  focus: Focus;
}

/** Ranks the texts: by a query, else by the pinned text, else the pairs of all. */
export function NearPanel({
  comparison,
  answer,
  focus,
  query,
  isAsking,
  onQuery,
  onAsk,
}: {
  comparison: Comparison;
  answer: Answer | null;
  focus: FocusStore;
  query: string;
  isAsking: boolean;
  onQuery(query: string): void;
  onAsk(): void;
}) {
  const t = useTranslations("embeddings.near");
  const say = useQuantities();
  const id = useId();
  const pinned = useFocus(focus, (state) => state.pinned);
  // The newer of the two is shown: an answer until another text is pinned, a pinned text until a new answer comes.
  const [seen, setSeen] = useState<{ answer: Answer | null; pinned: Focus | null }>({ answer, pinned });
  const [shows, setShows] = useState<"answer" | "pinned" | "pairs">(answer ? "answer" : "pairs");
  const [most, setMost] = useState(AT_FIRST);
  if (seen.answer !== answer || seen.pinned !== pinned) {
    setSeen({ answer, pinned });
    setMost(AT_FIRST);
    if (seen.answer !== answer) setShows(answer ? "answer" : "pairs");
    else setShows(pinned ? "pinned" : answer ? "answer" : "pairs");
  }

  const { texts } = comparison.call;
  const lineOf = (
    { index, similarity }: { index: number; similarity: number },
    column: number | null,
  ): Line => ({
    id: String(index),
    similarity,
    number: String(index + 1),
    text: texts[index] ?? "",
    focus: column === null ? { row: index, column: null } : { row: column, column: index },
  });
  const lines: Line[] =
    shows === "answer" && answer
      ? answer.ranking.map((one) => lineOf(one, null))
      : shows === "pinned" && pinned
        ? neighboursOf(comparison.cosines, pinned.row).map((one) => lineOf(one, pinned.row))
        : comparison.pairs.map(({ row, column, similarity }) => ({
            id: `${row}-${column}`,
            similarity,
            number: `${row + 1}–${column + 1}`,
            text: texts[row] ?? "",
            focus: { row, column },
          }));
  const hidden = Math.max(0, lines.length - most);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (query.trim() !== "") onAsk();
  };
  const caption: ReactNode =
    shows === "answer" && answer ? (
      <>
        <span className="text-ink">{t("toQuery")}</span>{" "}
        {t("used", { tokens: answer.inputTokens, time: say.duration(answer.elapsedMs) })}
      </>
    ) : shows === "pinned" && pinned ? (
      <span className="text-ink">{t("toText", { number: pinned.row + 1 })}</span>
    ) : (
      <span className="text-ink">{t("pairs")}</span>
    );

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
        <Button type="submit" variant="outline" isBusy={isAsking} disabled={query.trim() === ""}>
          {t("rank")}
        </Button>
      </Form>
      <div className="grid gap-1">
        <p className="flex min-h-8 items-center text-xs text-ink-faint" role="status">
          <span>{caption}</span>
          {shows === "pairs" ? null : (
            <Button
              variant="ghost"
              size="icon-sm"
              className="ml-auto"
              aria-label={t("letGo")}
              onClick={() => {
                focus.pin(null);
                setShows("pairs");
              }}
            >
              <XIcon />
            </Button>
          )}
        </p>
        {lines.length === 0 ? <p className="text-sm text-ink-muted">{t("none")}</p> : null}
        <ol aria-label={shows === "answer" ? t("toQuery") : t("title")} className="-mx-2 grid">
          {lines.slice(0, most).map((line) => (
            <NearRow key={line.id} {...line} store={focus} />
          ))}
        </ol>
        {hidden > 0 ? (
          <Button
            variant="ghost"
            size="sm"
            className="justify-self-start"
            onClick={() => setMost(most + AT_ONCE)}
          >
            {t("more", { count: Math.min(hidden, AT_ONCE) })}
          </Button>
        ) : null}
      </div>
    </section>
  );
}
