"use client";

import { useTranslations } from "use-intl";
import { valueAt } from "@/components/embeddings/similarity";
import type { Comparison } from "./comparison";
import type { Sheet } from "./draw-matrix";
import { type FocusStore, useFocus } from "./focus";

/** The pinned cell for those who hear the page: the only one of the grid that is in the document. */
export function ActiveCell({
  id,
  comparison,
  focus,
  sheet,
}: {
  id: string;
  comparison: Comparison;
  focus: FocusStore;
  sheet: Sheet;
}) {
  const t = useTranslations("embeddings.matrix");
  const pinned = useFocus(focus, (state) => state.pinned);
  const row = pinned?.row ?? sheet.order[0] ?? 0;
  const column = pinned?.column ?? pinned?.row ?? sheet.order[0] ?? 0;
  const { texts } = comparison.call;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
    // biome-ignore lint/a11y/useSemanticElements: the cells are painted, there is no table
    <div role="row" aria-rowindex={(sheet.places[row] ?? 0) + 1} className="sr-only">
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        role="gridcell"
        id={id}
        tabIndex={-1}
        aria-colindex={(sheet.places[column] ?? 0) + 1}
        aria-selected={pinned !== null}
      >
        {t("cell", {
          row: `${row + 1}. ${texts[row] ?? ""}`,
          column: `${column + 1}. ${texts[column] ?? ""}`,
          value: valueAt(comparison.cosines, row, column).toFixed(3),
        })}
      </div>
    </div>
  );
}
