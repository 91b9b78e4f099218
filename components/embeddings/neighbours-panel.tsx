"use client";

import { XIcon } from "lucide-react";
import { memo, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import type { Comparison } from "./comparison";
import { type Focus, type FocusStore, useFocus } from "./focus-store";
import { MoreButton } from "./more-button";
import { neighboursOf } from "./similarity";

// Multiples of 2 and 3, so that the rows fill one, two or three columns.
const INITIAL_ROWS = 12;
const ROWS_PER_STEP = 36;

interface RankingRow {
  similarity: number;
  number: string;
  text: string;
  focus: Focus;
}

/** The texts nearest to the pinned text; without a pinned text, the most similar pairs. */
export function NeighboursPanel({ comparison, focus }: { comparison: Comparison; focus: FocusStore }) {
  const t = useTranslations("embeddings.neighbours");
  const id = useId();
  const pinned = useFocus(focus, (state) => state.pinned);
  const { limit, showMore } = useLimit(pinned);
  const rows = rowsOf(pinned, comparison);
  const hidden = Math.max(0, rows.length - limit);
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <h2 id={`${id}-title`} tabIndex={-1} className="flex min-h-9 items-center text-lg">
        {t("title")}
      </h2>
      <div className="grid gap-1">
        <p className="flex min-h-8 items-center text-xs text-ink" role="status">
          {pinned ? t("toText", { number: pinned.row + 1 }) : t("pairs")}
          {pinned ? (
            <Button
              variant="ghost"
              size="icon-sm"
              className="ml-auto"
              aria-label={t("backToPairs")}
              onClick={(event) => {
                // The button disappears with the pinned text, so the focus moves to the heading first.
                event.currentTarget.closest("section")?.querySelector("h2")?.focus();
                focus.pin(null);
              }}
            >
              <XIcon />
            </Button>
          ) : null}
        </p>
        {rows.length === 0 ? <p className="text-sm text-ink-muted">{t("none")}</p> : null}
        <ol aria-label={t("title")} className="-mx-2 grid gap-x-4 md:grid-cols-2 min-[87.5rem]:grid-cols-3">
          {rows.slice(0, limit).map((row) => (
            <NeighbourRow key={row.number} {...row} store={focus} />
          ))}
        </ol>
        {hidden > 0 ? (
          <MoreButton onClick={showMore}>{t("more", { count: Math.min(hidden, ROWS_PER_STEP) })}</MoreButton>
        ) : null}
      </div>
    </section>
  );
}

/** Number of rows shown; reset when another text is pinned. */
function useLimit(pinned: Focus | null) {
  const [shown, setShown] = useState({ pinned, limit: INITIAL_ROWS });
  const limit = shown.pinned === pinned ? shown.limit : INITIAL_ROWS;
  return { limit, showMore: () => setShown({ pinned, limit: limit + ROWS_PER_STEP }) };
}

function rowsOf(pinned: Focus | null, { call: { texts }, cosines, pairs }: Comparison): RankingRow[] {
  if (pinned)
    return neighboursOf(cosines, pinned.row).map(({ index, similarity }) => ({
      similarity,
      number: String(index + 1),
      text: texts[index] ?? "",
      focus: { row: pinned.row, column: index },
    }));
  return pairs.map(({ row, column, similarity }) => ({
    similarity,
    number: `${row + 1}–${column + 1}`,
    text: texts[row] ?? "",
    focus: { row, column },
  }));
}

/** One row of a ranking: the text above a bar that shows its similarity. */
export const NeighbourRow = memo(function NeighbourRow({
  similarity,
  number,
  text,
  focus,
  store,
}: RankingRow & { store: FocusStore }) {
  return (
    <li
      data-similarity={similarity.toFixed(3)}
      onPointerEnter={() => store.hover(focus)}
      onPointerLeave={() => store.hover(null)}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-sm px-2 py-1.5 hover:bg-hover"
    >
      <span className="tabular min-w-5 text-xs text-ink-faint">{number}</span>
      <span title={text} className="truncate text-sm">
        {text}
      </span>
      <span className="tabular text-sm">{similarity.toFixed(3)}</span>
      <span
        aria-hidden="true"
        className="col-span-2 col-start-2 mt-1 h-1 overflow-hidden rounded-full bg-hover"
      >
        <span
          className="block h-full rounded-full bg-heat-mid"
          style={{ width: `${Math.max(0, Math.min(1, similarity)) * 100}%` }}
        />
      </span>
    </li>
  );
});
