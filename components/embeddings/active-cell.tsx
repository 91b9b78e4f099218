"use client";

import { useTranslations } from "use-intl";
import type { Comparison } from "./comparison";
import type { MatrixLayout } from "./draw-matrix";
import { type FocusStore, useFocus } from "./focus-store";
import { valueAt } from "./similarity";

/** The pinned cell for screen-reader users: the only grid cell in the document, the others are painted on a canvas. */
export function ActiveCell({
  id,
  comparison,
  focus,
  layout,
}: {
  id: string;
  comparison: Comparison;
  focus: FocusStore;
  layout: MatrixLayout;
}) {
  const t = useTranslations("embeddings.matrix");
  const pinned = useFocus(focus, (state) => state.pinned);
  const row = pinned?.row ?? layout.order[0] ?? 0;
  const column = pinned?.column ?? pinned?.row ?? layout.order[0] ?? 0;
  const { texts } = comparison.call;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell
    // biome-ignore lint/a11y/useSemanticElements: the cells are painted on a canvas, there is no table
    <div role="row" aria-rowindex={(layout.positions[row] ?? 0) + 1} className="sr-only">
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        role="gridcell"
        id={id}
        tabIndex={-1}
        aria-colindex={(layout.positions[column] ?? 0) + 1}
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
