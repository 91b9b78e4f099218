"use client";

import { Maximize2Icon } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { MapArea, type MapProps, Variance } from "./map-area";
import type { MapScene } from "./map-geometry";
import { usePointMap } from "./use-point-map";
import { ZoomButtons } from "./zoom-buttons";

const LargeMap = lazyPart(() => import("./large-map").then((one) => one.LargeMap));

/** The texts as points on a plane, similar texts close together as far as two axes can show. A button enlarges it. */
export function PointMap({ comparison, queryResult, focus }: MapProps) {
  const t = useTranslations("embeddings.map");
  const id = useId();
  const [isLarge, setLarge] = useState(false);
  const { call, projection } = comparison;
  const query = queryResult?.point ?? null;
  const scene: MapScene = useMemo(
    () => ({ texts: call.texts, points: projection.points, query, clusters: [] }),
    [call.texts, projection.points, query],
  );
  const map = usePointMap(scene, focus);
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="flex min-h-9 items-center gap-2">
        <h2 id={`${id}-title`} className="text-lg">
          {t("title")}
        </h2>
        <span className="ml-auto flex">
          <ZoomButtons of="map" zoom={map.zoom} />
        </span>
      </div>
      <MapArea
        map={map}
        texts={call.texts}
        focus={focus}
        isFixed={false}
        className="aspect-square w-full md:aspect-[4/3] min-[87.5rem]:aspect-square"
      />
      <div className="flex items-center gap-2">
        <Variance comparison={comparison} />
        <Button variant="outline" size="sm" className="ml-auto" onClick={() => setLarge(true)}>
          <Maximize2Icon />
          {t("large")}
        </Button>
      </div>
      {isLarge ? (
        <LargeMap
          comparison={comparison}
          queryResult={queryResult}
          focus={focus}
          onClose={() => setLarge(false)}
        />
      ) : null}
    </section>
  );
}
