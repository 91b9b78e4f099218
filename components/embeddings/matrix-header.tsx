"use client";

import { useTranslations } from "use-intl";
import { SegmentedControl } from "../ui/segmented-control";
import type { Scale } from "./similarity";
import { ZoomButtons } from "./zoom-buttons";

/** Title, colour scale, order and zoom of the matrix. */
export function MatrixHeader({
  id,
  scale,
  isGrouped,
  onGroupedChange,
  zoom,
}: {
  id: string;
  scale: Scale;
  isGrouped: boolean;
  onGroupedChange(isGrouped: boolean): void;
  /** Null where every cell is legible without zooming. */
  zoom: { canZoomOut: boolean; canZoomIn: boolean; onZoom(direction: 1 | -1): void; onReset(): void } | null;
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
        <span className="h-2 w-12 rounded-sm bg-linear-to-r from-heat-low via-heat-mid to-heat-high ring-1 ring-line" />
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
        {zoom ? (
          <ZoomButtons
            labels={{ zoomOut: t("zoomOut"), zoomIn: t("zoomIn"), showAll: t("showAll") }}
            {...zoom}
          />
        ) : null}
      </span>
    </div>
  );
}
