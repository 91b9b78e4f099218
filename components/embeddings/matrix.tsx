"use client";

import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { ActiveCell } from "./active-cell";
import type { Comparison } from "./comparison";
import { drawMatrix, type MatrixInk, readMatrixInk, renderSheet, type Sheet } from "./draw-matrix";
import { type FocusStore, litOf } from "./focus";
import { type Heat, readHeat } from "./heat";
import { LEGIBLE_CELL } from "./matrix-geometry";
import { MatrixHeader } from "./matrix-header";
import { type Surface, useCanvas } from "./use-canvas";
import { useMatrixView } from "./use-matrix-view";

/** Rows and columns that a key moves the cell by. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

/** Lays the texts of a comparison out in an order. */
function sheetOf({ cosines, spread, alike }: Comparison, isAlike: boolean): Sheet {
  const order = isAlike ? alike : Array.from({ length: cosines.count }, (_, at) => at);
  const places: number[] = [];
  for (const [place, index] of order.entries()) places[index] = place;
  return { table: cosines, scale: spread, order, places };
}

/** What is kept between frames, and made anew for another sheet or theme. */
interface Kept {
  sheet: Sheet;
  bitmap: HTMLCanvasElement;
  heat: Heat;
  ink: MatrixInk;
}

/** Cosines of all pairs as a heat map: one canvas under a box that scrolls, and one cell that is read out. */
export function Matrix({
  comparison,
  focus,
  isAlike,
  onAlike,
  onCell,
}: {
  comparison: Comparison;
  focus: FocusStore;
  isAlike: boolean;
  onAlike(isAlike: boolean): void;
  /** Tells the side of a cell while the whole matrix shows, so that the list can stand row by row beside it. */
  onCell(cell: number | null): void;
}) {
  const t = useTranslations("embeddings.matrix");
  const id = useId();
  const sheet = useMemo(() => sheetOf(comparison, isAlike), [comparison, isAlike]);
  const view = useMatrixView(sheet, focus);
  const { geometry, scroller, isWhole } = view;
  const { count, cell } = geometry;

  useLayoutEffect(() => {
    onCell(isWhole ? cell : null);
    return () => onCell(null);
  }, [isWhole, cell, onCell]);

  const kept = useRef<Kept>(null);
  const paint = useCallback(
    (surface: Surface) => {
      const { scrollLeft: left, scrollTop: top } = scroller.current ?? { scrollLeft: 0, scrollTop: 0 };
      if (kept.current?.sheet !== sheet) {
        const heat = kept.current?.heat ?? readHeat(surface.canvas);
        const ink = kept.current?.ink ?? readMatrixInk(surface.canvas);
        kept.current = { sheet, heat, ink, bitmap: renderSheet(sheet, heat) };
      }
      drawMatrix(surface, { ...kept.current, geometry, scroll: { left, top }, lit: litOf(focus.get()) });
    },
    [geometry, sheet, focus, scroller],
  );
  const forget = useCallback(() => {
    kept.current = null;
  }, []);
  const { canvas, redraw } = useCanvas(paint, forget);
  useEffect(() => focus.subscribe(redraw), [focus, redraw]);

  const move = ([down, across]: readonly [number, number]) => {
    const { pinned } = focus.get();
    const hold = (position: number) => Math.max(0, Math.min(count - 1, position));
    const placeOf = (index: number | undefined) => (index === undefined ? 0 : (sheet.places[index] ?? 0));
    const row = hold(placeOf(pinned?.row) + down);
    const column = hold(placeOf(pinned?.column ?? pinned?.row) + across);
    const next = { row: sheet.order[row] ?? 0, column: sheet.order[column] ?? 0 };
    focus.pin(next);
    view.show(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) move(step);
    else if (event.key === "+" || event.key === "=") view.zoomBy(1);
    else if (event.key === "-") view.zoomBy(-1);
    else if (event.key === "0") view.showWhole();
    else if (event.key === "Escape" && focus.get().pinned) focus.pin(null);
    else return;
    event.preventDefault();
  };

  const zoom = { isWhole, canGrow: view.canGrow, onStep: view.zoomBy, onWhole: view.showWhole };
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <MatrixHeader
        id={id}
        scale={comparison.spread}
        isAlike={isAlike}
        onAlike={onAlike}
        zoom={view.fit < LEGIBLE_CELL ? zoom : null}
      />
      <div ref={view.box} className="min-w-0">
        <div className="relative" style={{ width: view.side, height: view.side }}>
          <div aria-hidden="true" className="absolute inset-0">
            <canvas ref={canvas} className="size-full" />
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: the cells are painted, there is no table */}
          <div
            ref={scroller}
            role="grid"
            aria-label={t("label", { count })}
            aria-rowcount={count}
            aria-colcount={count}
            aria-activedescendant={`${id}-cell`}
            tabIndex={0}
            onKeyDown={onKeyDown}
            onScroll={redraw}
            onPointerMove={(event) => {
              if (event.pointerType === "mouse") focus.hover(view.cellAt(event));
            }}
            onPointerLeave={() => focus.hover(null)}
            onClick={(event) => focus.pin(view.cellAt(event))}
            className="absolute inset-0 cursor-crosshair overflow-auto overscroll-contain rounded-sm"
          >
            <div role="presentation" style={{ width: view.extent, height: view.extent }} />
            <ActiveCell id={`${id}-cell`} comparison={comparison} focus={focus} sheet={sheet} />
          </div>
        </div>
      </div>
    </section>
  );
}
