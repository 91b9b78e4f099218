"use client";

import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { type Surface, useCanvas } from "../charts/use-canvas";
import { SegmentedControl } from "../ui/segmented-control";
import type { Comparison } from "./comparison";
import {
  drawMatrix,
  type MatrixColours,
  type MatrixLayout,
  readMatrixColours,
  renderBitmap,
} from "./draw-matrix";
import { type FocusStore, highlightOf, useFocus } from "./focus-store";
import { type HeatColours, readHeatColours } from "./heat-colours";
import { LEGIBLE_CELL } from "./matrix-geometry";
import { valueAt } from "./similarity";
import { useMatrixView } from "./use-matrix-view";
import { type Zoom, ZoomButtons } from "./zoom-buttons";

/** Rows and columns that a key moves the pinned cell by. */
const KEY_STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

function layoutOf({ cosines, scale, clustering }: Comparison, isGrouped: boolean): MatrixLayout {
  const order = isGrouped ? clustering.order : Array.from({ length: cosines.count }, (_, at) => at);
  const positions: number[] = [];
  for (const [position, index] of order.entries()) positions[index] = position;
  return { values: cosines, scale, order, positions };
}

interface MatrixProps {
  comparison: Comparison;
  focus: FocusStore;
  isGrouped: boolean;
  onGroupedChange(isGrouped: boolean): void;
  /** Reports the side of a cell while the whole matrix is shown, else null; the list aligns its rows with it. */
  onCellSize(cell: number | null): void;
}

interface CellsProps extends Pick<MatrixProps, "comparison" | "focus"> {
  /** ID of the matrix's title and prefix of its elements' IDs. */
  id: string;
  layout: MatrixLayout;
}

/** Cosines of all pairs as a heat map: a canvas under a scrollable grid whose only DOM cell is the active one. */
export function Matrix(props: MatrixProps) {
  const { comparison, focus, isGrouped, onCellSize } = props;
  const id = useId();
  const layout = useMemo(() => layoutOf(comparison, isGrouped), [comparison, isGrouped]);
  const view = useMatrixView(layout, focus);
  const { isFullyShown } = view;
  const { cell } = view.geometry;

  useLayoutEffect(() => {
    onCellSize(isFullyShown ? cell : null);
    return () => onCellSize(null);
  }, [isFullyShown, cell, onCellSize]);

  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <MatrixHeader {...props} id={id} zoom={view.fit < LEGIBLE_CELL ? view.zoom : null} />
      <div ref={view.box} className="min-w-0">
        <div className="relative" style={{ width: view.side, height: view.side }}>
          <Cells {...props} id={id} layout={layout} view={view} />
        </div>
      </div>
    </section>
  );
}

/** The painted cells under the grid that scrolls them and takes pointer and keys. */
function Cells({ view, ...props }: CellsProps & { view: MatrixView }) {
  const { id, focus, layout } = props;
  const t = useTranslations("embeddings.matrix");
  const { canvas, redraw } = useMatrixCanvas(view, layout, focus);
  const { count } = view.geometry;
  return (
    <>
      <div aria-hidden="true" className="absolute inset-0">
        <canvas ref={canvas} className="size-full" />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: the cells are painted on a canvas, there is no table */}
      <div
        ref={view.scroller}
        role="grid"
        aria-label={t("label", { count })}
        aria-rowcount={count}
        aria-colcount={count}
        aria-activedescendant={`${id}-cell`}
        tabIndex={0}
        onKeyDown={matrixKeys(view, layout, focus)}
        onScroll={redraw}
        onPointerMove={(event) => {
          if (event.pointerType === "mouse") focus.hover(view.cellAt(event));
        }}
        onPointerLeave={() => focus.hover(null)}
        onClick={(event) => focus.pin(view.cellAt(event))}
        className="absolute inset-0 cursor-crosshair overflow-auto overscroll-contain rounded-sm"
      >
        <div role="presentation" style={{ width: view.extent, height: view.extent }} />
        <ActiveCell {...props} />
      </div>
    </>
  );
}

/** Cached between frames until the layout or the theme changes. */
interface PaintCache {
  layout: MatrixLayout;
  bitmap: HTMLCanvasElement;
  heat: HeatColours;
  colours: MatrixColours;
}

type MatrixView = ReturnType<typeof useMatrixView>;

function useMatrixCanvas({ geometry, scroller }: MatrixView, layout: MatrixLayout, focus: FocusStore) {
  const cache = useRef<PaintCache>(null);
  const paint = useCallback(
    (surface: Surface) => {
      const { scrollLeft: left, scrollTop: top } = scroller.current ?? { scrollLeft: 0, scrollTop: 0 };
      if (cache.current?.layout !== layout) {
        const heat = cache.current?.heat ?? readHeatColours(surface.canvas);
        const colours = cache.current?.colours ?? readMatrixColours(surface.canvas);
        cache.current = { layout, heat, colours, bitmap: renderBitmap(layout, heat) };
      }
      drawMatrix(surface, {
        ...cache.current,
        geometry,
        scroll: { left, top },
        highlight: highlightOf(focus.get()),
      });
    },
    [geometry, layout, focus, scroller],
  );
  const { canvas, redraw } = useCanvas(paint, { themeCache: cache });
  useEffect(() => focus.subscribe(redraw), [focus, redraw]);
  return { canvas, redraw };
}

/** Keyboard handler of the grid: moves the pinned cell, zooms, deselects. */
function matrixKeys(view: MatrixView, layout: MatrixLayout, focus: FocusStore) {
  const clamp = (position: number) => Math.max(0, Math.min(view.geometry.count - 1, position));
  const positionOf = (index: number | undefined) =>
    index === undefined ? 0 : (layout.positions[index] ?? 0);
  const move = ([down, across]: readonly [number, number]) => {
    const { pinned } = focus.get();
    const row = clamp(positionOf(pinned?.row) + down);
    const column = clamp(positionOf(pinned?.column ?? pinned?.row) + across);
    const next = { row: layout.order[row] ?? 0, column: layout.order[column] ?? 0 };
    focus.pin(next);
    view.scrollTo(next);
  };
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = KEY_STEPS[event.key];
    if (step) move(step);
    else if (event.key === "+" || event.key === "=") view.zoom.onZoom(1);
    else if (event.key === "-") view.zoom.onZoom(-1);
    else if (event.key === "0") view.zoom.onReset();
    else if (event.key === "Escape" && focus.get().pinned) focus.pin(null);
    else return;
    event.preventDefault();
  };
}

/** The pinned cell for screen-reader users: the only grid cell in the document, the others are painted on a canvas. */
function ActiveCell({ id, comparison, focus, layout }: CellsProps) {
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
        id={`${id}-cell`}
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

/** Title, colour scale, order and zoom of the matrix. */
function MatrixHeader({
  id,
  comparison: { scale },
  isGrouped,
  onGroupedChange,
  zoom,
}: MatrixProps & {
  id: string;
  /** Null where every cell is legible without zooming. */
  zoom: Zoom | null;
}) {
  const t = useTranslations("embeddings.matrix");
  const [min, max] = [scale.min.toFixed(2), scale.max.toFixed(2)];
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-2.5 gap-y-2">
      <h2 id={id} className="text-lg">
        {t("title")}
      </h2>
      <span
        role="img"
        aria-label={t("scale", { min, max })}
        className="tabular inline-flex items-center gap-2 text-xs text-ink-faint"
      >
        {min}
        <span className="h-2 w-12 forced-color-adjust-none rounded-sm bg-linear-to-r from-heat-low via-heat-mid to-heat-high ring-1 ring-line" />
        {max}
      </span>
      <span className="ml-auto flex items-center">
        <SegmentedControl
          className="mr-1"
          label={t("order")}
          value={isGrouped ? "grouped" : "original"}
          onValueChange={(order) => onGroupedChange(order === "grouped")}
          segments={[
            { value: "original", label: t("original") },
            { value: "grouped", label: t("grouped") },
          ]}
        />
        {zoom ? <ZoomButtons of="matrix" zoom={zoom} /> : null}
      </span>
    </div>
  );
}
