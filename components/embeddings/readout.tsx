"use client";

import { useTranslations } from "use-intl";
import type { Comparison } from "./comparison";
import { type Focus, type FocusStore, highlightOf, useFocus } from "./focus-store";
import { valueAt } from "./similarity";

/** Value and texts of the highlighted cell; without a highlight, those of the nearest pair. */
export function Readout({ comparison, focus }: { comparison: Comparison; focus: FocusStore }) {
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
