"use client";

import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";
import type { Cluster } from "./clusters";
import type { Comparison } from "./comparison";
import { type FocusStore, useFocus } from "./focus-store";
import { neighboursOf } from "./similarity";

/** The content of the map as a table: each text with its cluster and its nearest text. A click pins the text. */
export function MapTable({
  comparison,
  clusters,
  focus,
}: {
  comparison: Comparison;
  clusters: readonly Cluster[];
  focus: FocusStore;
}) {
  const t = useTranslations("embeddings.map");
  const { call, cosines } = comparison;
  const { texts } = call;
  const nearestTexts = useMemo(
    () => Array.from({ length: cosines.count }, (_, index) => neighboursOf(cosines, index)[0]),
    [cosines],
  );
  const clusterOf = new Map(
    clusters.flatMap(({ members }) => members.map((index) => [index, members[0] ?? index] as const)),
  );
  const pinned = useFocus(focus, (state) => state.pinned?.row ?? null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
    <section aria-label={t("asTable")} tabIndex={0} className="min-h-0 overflow-y-auto">
      <Table aria-label={t("table", { count: texts.length })}>
        <Header />
        <TableBody>
          {texts.map((text, index) => {
            const nearest = nearestTexts[index];
            const nearestText = nearest ? `${nearest.index + 1}. ${texts[nearest.index] ?? ""}` : "–";
            const label = clusterOf.get(index);
            return (
              // The texts have no ID and never move.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <TableRow key={index} data-selected={pinned === index ? "" : undefined}>
                <TableCell className="tabular text-right text-ink-faint">{index + 1}</TableCell>
                <TableCell>
                  <PinButton index={index} text={text} focus={focus} isPinned={pinned === index} />
                  <span className="line-clamp-2 text-sm text-ink-muted md:hidden">{nearestText}</span>
                </TableCell>
                <TableCell className="hidden text-ink-muted md:table-cell">
                  <span className="line-clamp-1">{label === undefined ? "–" : texts[label]}</span>
                </TableCell>
                <TableCell className="hidden text-ink-muted md:table-cell">
                  <span className="line-clamp-2">{nearestText}</span>
                </TableCell>
                <TableCell className="tabular text-right">{nearest?.similarity.toFixed(3)}</TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
    </section>
  );
}

function PinButton({
  index,
  text,
  focus,
  isPinned,
}: {
  index: number;
  text: string;
  focus: FocusStore;
  isPinned: boolean;
}) {
  return (
    <button
      type="button"
      aria-pressed={isPinned}
      onClick={() => focus.pin(isPinned ? null : { row: index, column: null })}
      className="line-clamp-2 break-words rounded-sm text-left"
    >
      {text}
    </button>
  );
}

/** The columns. */
function Header() {
  const t = useTranslations("embeddings.map");
  return (
    <TableHeader>
      <TableRow>
        <TableHead className="w-12 text-right">{t("number")}</TableHead>
        <TableHead>{t("text")}</TableHead>
        <TableHead className="hidden md:table-cell">{t("cluster")}</TableHead>
        <TableHead className="hidden md:table-cell">{t("nearestText")}</TableHead>
        <TableHead className="text-right">{t("cosine")}</TableHead>
      </TableRow>
    </TableHeader>
  );
}
