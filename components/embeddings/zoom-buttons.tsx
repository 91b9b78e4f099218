"use client";

import { MaximizeIcon, MinusIcon, PlusIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";

/** The zoom of a map or a matrix. */
export interface Zoom {
  canZoomOut: boolean;
  canZoomIn: boolean;
  onZoom(direction: 1 | -1): void;
  onReset(): void;
}

/** Zoom out, zoom in, show everything. */
export function ZoomButtons({
  of,
  zoom: { canZoomOut, canZoomIn, onZoom, onReset },
}: {
  of: "map" | "matrix";
  zoom: Zoom;
}) {
  const t = useTranslations(`embeddings.${of}`);
  return (
    <>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("zoomOut")}
        disabled={!canZoomOut}
        onClick={() => onZoom(-1)}
      >
        <MinusIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("zoomIn")}
        disabled={!canZoomIn}
        onClick={() => onZoom(1)}
      >
        <PlusIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("showAll")}
        disabled={!canZoomOut}
        onClick={onReset}
      >
        <MaximizeIcon />
      </Button>
    </>
  );
}
