"use client";

import { MaximizeIcon, MinusIcon, PlusIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { SegmentedControl } from "../ui/segmented-control";

/** The matrix's name, its scale, its order and its zoom. */
export function MatrixHeader({
  id,
  scale,
  isAlike,
  onAlike,
  zoom,
}: {
  id: string;
  scale: { least: number; most: number };
  isAlike: boolean;
  onAlike(isAlike: boolean): void;
  /** Null where every cell is legible as it is. */
  zoom: { isWhole: boolean; canGrow: boolean; onStep(direction: 1 | -1): void; onWhole(): void } | null;
}) {
  const t = useTranslations("embeddings.matrix");
  const [least, most] = [scale.least.toFixed(2), scale.most.toFixed(2)];
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-2.5 gap-y-2">
      <h2 id={id} className="text-lg">
        {t("title")}
      </h2>
      <span
        role="img"
        aria-label={t("scale", { least, most })}
        className="tabular inline-flex items-center gap-2 text-xs text-ink-faint"
      >
        {least}
        <span className="h-2 w-12 rounded-sm bg-linear-to-r from-heat-low via-heat-mid to-heat-high ring-1 ring-line" />
        {most}
      </span>
      <span className="ml-auto flex items-center">
        <SegmentedControl
          className="mr-1"
          label={t("order")}
          value={isAlike ? "alike" : "written"}
          onValueChange={(order) => onAlike(order === "alike")}
          segments={[
            { value: "written", label: t("written") },
            { value: "alike", label: t("alike") },
          ]}
        />
        {zoom ? (
          <>
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={t("farther")}
              disabled={zoom.isWhole}
              onClick={() => zoom.onStep(-1)}
            >
              <MinusIcon />
            </Button>
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={t("closer")}
              disabled={!zoom.canGrow}
              onClick={() => zoom.onStep(1)}
            >
              <PlusIcon />
            </Button>
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={t("whole")}
              disabled={zoom.isWhole}
              onClick={zoom.onWhole}
            >
              <MaximizeIcon />
            </Button>
          </>
        ) : null}
      </span>
    </div>
  );
}
