"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import type { Comparison, QueryResult } from "./comparison";
import { type FocusStore, useFocus } from "./focus-store";
import type { PointMapState } from "./use-point-map";

export interface MapProps {
  comparison: Comparison;
  queryResult: QueryResult | null;
  focus: FocusStore;
}

/** The canvas of a map; arrow keys select its texts, which screen readers read as options of a list. */
export function MapArea({
  map,
  texts,
  focus,
  isFixed,
  className,
}: {
  map: PointMapState;
  texts: readonly string[];
  focus: FocusStore;
  /** Nothing scrolls behind the map: one finger pans it even while all of it is shown. */
  isFixed: boolean;
  className?: string;
}) {
  const t = useTranslations("embeddings.map");
  const id = useId();
  return (
    <div
      ref={map.area}
      role="listbox"
      aria-label={t("label", { count: texts.length })}
      aria-activedescendant={`${id}-point`}
      tabIndex={0}
      {...map.areaHandlers}
      // One finger scrolls the page while the whole map is shown, and pans the map once it is zoomed.
      style={{ touchAction: isFixed || map.zoom.canZoomOut ? "none" : "pan-y" }}
      className={cn("relative overflow-hidden rounded-md border bg-panel", className)}
    >
      <div aria-hidden="true" className="absolute inset-0">
        <canvas ref={map.canvas} className="size-full" />
      </div>
      <ActivePoint id={`${id}-point`} texts={texts} focus={focus} />
    </div>
  );
}

/** The pinned point for screen-reader users. */
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

/** How much of the vectors' variance the two axes of the PCA map show. */
export function Variance({ comparison: { projection } }: { comparison: Comparison }) {
  const t = useTranslations("embeddings.map");
  const format = useAmounts();
  const [first, second] = projection.explained;
  return (
    <span title={t("varianceHint")} className="tabular min-w-0 truncate text-xs text-ink-faint">
      {t("variance", { share: format.share(first + second) })}
    </span>
  );
}
