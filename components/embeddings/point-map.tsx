"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import type { Comparison, QueryResult } from "./comparison";
import { type FocusStore, useFocus } from "./focus-store";
import { usePointMap } from "./use-point-map";
import { ZoomButtons } from "./zoom-buttons";

/** The texts as points on a plane, similar texts close together as far as two axes can show. */
export function PointMap({
  comparison,
  queryResult,
  focus,
}: {
  comparison: Comparison;
  queryResult: QueryResult | null;
  focus: FocusStore;
}) {
  const t = useTranslations("embeddings.map");
  const format = useAmounts();
  const id = useId();
  const map = usePointMap(comparison, queryResult, focus);
  const { texts } = comparison.call;
  const [first, second] = comparison.projection.explained;
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="flex min-h-9 items-center gap-2">
        <h2 id={`${id}-title`} className="text-lg">
          {t("title")}
        </h2>
        <span title={t("varianceHint")} className="tabular min-w-0 truncate text-xs text-ink-faint">
          {t("variance", { share: format.share(first + second) })}
        </span>
        <span className="ml-auto flex">
          <ZoomButtons
            labels={{ zoomOut: t("zoomOut"), zoomIn: t("zoomIn"), showAll: t("showAll") }}
            canZoomOut={map.canZoomOut}
            canZoomIn={map.canZoomIn}
            onZoom={map.zoom}
            onReset={map.resetZoom}
          />
        </span>
      </div>
      <div
        ref={map.area}
        role="listbox"
        aria-label={t("label", { count: texts.length })}
        aria-activedescendant={`${id}-point`}
        tabIndex={0}
        {...map.areaHandlers}
        // One finger scrolls the page while the whole map is shown, and pans the map once it is zoomed.
        style={{ touchAction: map.canZoomOut ? "none" : "pan-y" }}
        className="relative aspect-square w-full overflow-hidden rounded-md border bg-panel md:aspect-[4/3] min-[87.5rem]:aspect-square"
      >
        <div aria-hidden="true" className="absolute inset-0">
          <canvas ref={map.canvas} className="size-full" />
        </div>
        <ActivePoint id={`${id}-point`} texts={texts} focus={focus} />
      </div>
    </section>
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
