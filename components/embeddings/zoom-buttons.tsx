"use client";

import { MaximizeIcon, MinusIcon, PlusIcon } from "lucide-react";
import { Button } from "../ui/button";

/** Zoom out, zoom in, show everything. */
export function ZoomButtons({
  labels,
  canZoomOut,
  canZoomIn,
  onZoom,
  onReset,
}: {
  labels: { zoomOut: string; zoomIn: string; showAll: string };
  canZoomOut: boolean;
  canZoomIn: boolean;
  onZoom(direction: 1 | -1): void;
  onReset(): void;
}) {
  return (
    <>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={labels.zoomOut}
        disabled={!canZoomOut}
        onClick={() => onZoom(-1)}
      >
        <MinusIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={labels.zoomIn}
        disabled={!canZoomIn}
        onClick={() => onZoom(1)}
      >
        <PlusIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={labels.showAll}
        disabled={!canZoomOut}
        onClick={onReset}
      >
        <MaximizeIcon />
      </Button>
    </>
  );
}
