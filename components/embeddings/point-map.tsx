"use client";

import { MaximizeIcon, MinusIcon, PlusIcon } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { useQuantities } from "../charts/use-quantities";
import { Button } from "../ui/button";
import type { Answer, Comparison } from "./comparison";
import { drawMap, type MapInk, readMapInk } from "./draw-map";
import { type FocusStore, litOf, useFocus } from "./focus";
import {
  holdInside,
  LARGEST_ZOOM,
  layOut,
  type MapView,
  type Plane,
  spotAt,
  spotBeyond,
  WHOLE_MAP,
  zoomAbout,
} from "./map-geometry";
import { type Surface, useCanvas } from "./use-canvas";
import { useMapGestures } from "./use-map-gestures";

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
const STEP = 40;
const MOUSE_REACH = 14;
const FINGER_REACH = 26;

/** The texts as points of a plane; near points are alike as far as two axes can tell. */
export function PointMap({
  comparison,
  answer,
  focus,
}: {
  comparison: Comparison;
  answer: Answer | null;
  focus: FocusStore;
}) {
  const t = useTranslations("embeddings.map");
  const say = useQuantities();
  const { texts } = comparison.call;
  const { projection } = comparison;
  const place = answer?.place ?? null;
  const view = useRef<MapView>(WHOLE_MAP);
  const [zoom, setZoom] = useState(1);
  const plane = useRef<Plane>({ width: 1, height: 1, spots: [], query: null });
  const ink = useRef<MapInk>(null);

  const paint = useCallback(
    (surface: Surface) => {
      ink.current ??= readMapInk(surface.canvas);
      plane.current = layOut(projection, place, surface, view.current);
      drawMap(surface, {
        plane: plane.current,
        texts,
        lit: litOf(focus.get()),
        ink: ink.current,
        queryName: t("query"),
      });
    },
    [projection, place, texts, focus, t],
  );
  const forget = useCallback(() => {
    ink.current = null;
  }, []);
  const { canvas, redraw } = useCanvas(paint, forget);
  useEffect(() => focus.subscribe(redraw), [focus, redraw]);

  const look = useCallback(
    (next: MapView) => {
      view.current = next;
      setZoom(next.zoom);
      redraw();
    },
    [redraw],
  );
  useEffect(() => {
    if (projection) look(WHOLE_MAP);
  }, [projection, look]);

  const area = useRef<HTMLDivElement>(null);
  const gestures = useMapGestures(area, {
    view,
    onView: look,
    onPoint: (at, isFinger) => {
      const index = at ? spotAt(plane.current, at, isFinger ? FINGER_REACH : MOUSE_REACH) : null;
      focus.hover(index === null ? null : { row: index, column: null });
    },
    onPress: (at, isFinger) => {
      const index = spotAt(plane.current, at, isFinger ? FINGER_REACH : MOUSE_REACH);
      focus.pin(index === null ? null : { row: index, column: null });
    },
  });

  const zoomBy = (factor: number) => {
    const box = plane.current;
    const lit = litOf(focus.get());
    const about = (lit && box.spots[lit.row]) ?? { x: box.width / 2, y: box.height / 2 };
    look(zoomAbout(view.current, factor, about, box));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    const pinned = focus.get().pinned;
    if (direction && event.shiftKey) {
      const { x, y } = view.current;
      look(
        holdInside(
          { ...view.current, x: x - direction[0] * STEP, y: y - direction[1] * STEP },
          plane.current,
        ),
      );
    } else if (direction) {
      const next = pinned ? spotBeyond(plane.current, pinned.row, direction) : 0;
      if (next !== null) focus.pin({ row: next, column: null });
    } else if (event.key === "+" || event.key === "=") zoomBy(1.5);
    else if (event.key === "-") zoomBy(1 / 1.5);
    else if (event.key === "0") look(WHOLE_MAP);
    else if (event.key === "Escape" && pinned) focus.pin(null);
    else return;
    event.preventDefault();
  };

  const id = useId();
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="flex min-h-9 items-center gap-2">
        <h2 id={`${id}-title`} className="text-lg">
          {t("title")}
        </h2>
        <span title={t("keptHint")} className="tabular min-w-0 truncate text-xs text-ink-faint">
          {t("kept", { share: say.share(projection.kept[0] + projection.kept[1]) })}
        </span>
        <span className="ml-auto flex">
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={t("farther")}
            disabled={zoom <= 1}
            onClick={() => zoomBy(1 / 1.5)}
          >
            <MinusIcon />
          </Button>
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={t("closer")}
            disabled={zoom >= LARGEST_ZOOM}
            onClick={() => zoomBy(1.5)}
          >
            <PlusIcon />
          </Button>
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={t("whole")}
            disabled={zoom <= 1}
            onClick={() => look(WHOLE_MAP)}
          >
            <MaximizeIcon />
          </Button>
        </span>
      </div>
      <div
        ref={area}
        role="listbox"
        aria-label={t("label", { count: texts.length })}
        aria-activedescendant={`${id}-point`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        {...gestures}
        // One finger scrolls the page while the whole map shows, and moves the map once it is zoomed.
        style={{ touchAction: zoom > 1 ? "none" : "pan-y" }}
        className="relative aspect-square w-full overflow-hidden rounded-md border bg-panel md:aspect-[4/3] min-[87.5rem]:aspect-square"
      >
        <div aria-hidden="true" className="absolute inset-0">
          <canvas ref={canvas} className="size-full" />
        </div>
        <ActivePoint id={`${id}-point`} texts={texts} focus={focus} />
      </div>
    </section>
  );
}

/** The pinned point for those who hear the page. */
function ActivePoint({ id, texts, focus }: { id: string; texts: readonly string[]; focus: FocusStore }) {
  const pinned = useFocus(focus, (state) => state.pinned);
  const index = pinned?.row ?? 0;
  return (
    <div
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={pinned !== null}
      aria-posinset={index + 1}
      aria-setsize={texts.length}
      className="sr-only"
    >
      {`${index + 1}. ${texts[index] ?? ""}`}
    </div>
  );
}
