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
  const buttons = [
    { name: "zoomOut", Icon: MinusIcon, isPossible: canZoomOut, act: () => onZoom(-1) },
    { name: "zoomIn", Icon: PlusIcon, isPossible: canZoomIn, act: () => onZoom(1) },
    { name: "showAll", Icon: MaximizeIcon, isPossible: canZoomOut, act: onReset },
  ] as const;
  return buttons.map(({ name, Icon, isPossible, act }) => (
    <Button
      key={name}
      variant="ghost"
      size="icon-sm"
      aria-label={t(name)}
      disabled={!isPossible}
      onClick={() => act()}
    >
      <Icon />
    </Button>
  ));
}
