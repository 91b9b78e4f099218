"use client";

import { type ReactNode, useId, useMemo } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Dialog, DialogContent, DialogDescription, DialogTitle } from "../ui/dialog";
import { Label } from "../ui/input";
import { Progress } from "../ui/progress";
import { SegmentedControl } from "../ui/segmented-control";
import { Switch } from "../ui/switch";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";
import type { Cluster } from "./clusters";
import type { Comparison } from "./comparison";
import { type FocusStore, highlightOf, useFocus } from "./focus-store";
import { MapArea, type MapProps, Variance } from "./map-area";
import { neighboursOf } from "./similarity";
import {
  type MapMethod,
  type MapOrTable,
  MIN_UMAP_TEXTS,
  type UmapState,
  useLargeMap,
} from "./use-large-map";
import { usePointMap } from "./use-point-map";
import { ZoomButtons } from "./zoom-buttons";

type LargeMapState = ReturnType<typeof useLargeMap>;

/** The map in a dialog that fills the window, or the same content as a table. */
export function LargeMap({ onClose, ...props }: MapProps & { onClose(): void }) {
  const t = useTranslations("embeddings.map");
  const { comparison, focus } = props;
  const large = useLargeMap(comparison, props.queryResult);
  const { texts } = comparison.call;
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent
        className="h-[calc(100dvh-1rem)] max-h-none w-[calc(100vw-1rem)] max-w-none grid-rows-[auto_minmax(0,1fr)_auto] gap-3 overflow-hidden p-4 sm:h-[calc(100dvh-3rem)] sm:w-[calc(100vw-3rem)]"
        onEscapeKeyDown={(event) => {
          // Escape deselects first, then closes.
          if (focus.get().pinned === null) return;
          event.preventDefault();
          focus.pin(null);
        }}
      >
        {large.view === "map" ? (
          <MapPage large={large} {...props} />
        ) : (
          <>
            <MapHeader large={large} comparison={comparison} />
            <MapTable comparison={comparison} clusters={large.clusters} focus={focus} />
            <p className="text-sm text-ink-muted">{t("tableHint", { count: texts.length })}</p>
          </>
        )}
      </DialogContent>
    </Dialog>
  );
}

function MapPage({ large, comparison, focus }: MapProps & { large: LargeMapState }) {
  const map = usePointMap(large.scene, focus);
  const isRunning = large.umap.kind === "running";
  return (
    <>
      <MapHeader large={large} comparison={comparison}>
        <ZoomButtons of="map" zoom={map.zoom} />
      </MapHeader>
      <div className="relative min-h-0">
        <MapArea
          map={map}
          texts={comparison.call.texts}
          focus={focus}
          isFixed
          className={cn("size-full transition-opacity", isRunning && "opacity-40")}
        />
        <UmapStatus state={large.umap} onCancel={() => large.choose("pca")} />
      </div>
      <MapReadout comparison={comparison} focus={focus} />
    </>
  );
}

/** Title and controls; `children` are the zoom buttons. */
function MapHeader({
  large,
  comparison,
  children,
}: Pick<MapProps, "comparison"> & { large: LargeMapState; children?: ReactNode }) {
  const t = useTranslations("embeddings.map");
  const id = useId();
  const { texts } = comparison.call;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2 pr-10">
      <DialogTitle>{t("title")}</DialogTitle>
      <DialogDescription className="sr-only">{t("label", { count: texts.length })}</DialogDescription>
      <SegmentedControl<MapOrTable>
        label={t("view")}
        value={large.view}
        onValueChange={large.setView}
        segments={[
          { value: "map", label: t("asMap") },
          { value: "table", label: t("asTable") },
        ]}
      />
      {large.view === "map" && texts.length >= MIN_UMAP_TEXTS ? (
        <SegmentedControl<MapMethod>
          label={t("method")}
          value={large.method}
          onValueChange={large.choose}
          segments={[
            { value: "pca", label: t("pca") },
            { value: "umap", label: t("umap") },
          ]}
        />
      ) : null}
      {large.view === "map" && large.clusters.length > 0 ? (
        <span className="flex items-center gap-2">
          <Switch id={id} checked={large.hasClusters} onCheckedChange={large.setClusters} />
          <Label htmlFor={id}>{t("clusters", { count: large.clusters.length })}</Label>
        </span>
      ) : null}
      {large.view === "map" && large.method === "pca" ? (
        <span className="flex min-w-0 max-sm:hidden">
          <Variance comparison={comparison} />
        </span>
      ) : null}
      {children ? <span className="ml-auto flex">{children}</span> : null}
    </div>
  );
}

function UmapStatus({ state, onCancel }: { state: UmapState; onCancel(): void }) {
  const t = useTranslations("embeddings.map");
  if (state.kind === "failed")
    return (
      <p
        role="alert"
        className="absolute inset-x-0 top-4 mx-auto w-fit rounded-md border bg-raised px-4 py-2 text-sm shadow-float"
      >
        {t("umapFailed")}
      </p>
    );
  if (state.kind !== "running") return null;
  return (
    <div className="absolute inset-0 grid place-items-center">
      <div className="grid w-72 max-w-full gap-3 rounded-md border bg-raised p-5 shadow-float">
        <p role="status">{t("umapRunning")}</p>
        <Progress
          label={t("umapRunning")}
          tone="signal"
          max={state.count}
          {...(state.count > 0 ? { value: state.done } : {})}
        />
        <Button variant="outline" size="sm" onClick={onCancel} className="justify-self-center">
          {t("umapCancel")}
        </Button>
      </div>
    </div>
  );
}

/** The highlighted text and its nearest text; without a highlight, a hint about keys and pointer. */
function MapReadout({ comparison, focus }: Pick<MapProps, "comparison" | "focus">) {
  const t = useTranslations("embeddings.map");
  const index = useFocus(focus, (state) => highlightOf(state)?.row ?? null);
  if (index === null) return <p className="min-h-10 text-sm text-ink-muted">{t("hint")}</p>;
  const { texts } = comparison.call;
  const [nearest] = neighboursOf(comparison.cosines, index);
  return (
    <div className="grid min-h-10 gap-x-4 text-sm sm:grid-cols-[minmax(0,1fr)_auto]">
      <p className="line-clamp-2 break-words">{`${index + 1}. ${texts[index] ?? ""}`}</p>
      {nearest ? (
        <p className="line-clamp-1 text-ink-muted">
          {t("nearest", { number: nearest.index + 1, value: nearest.similarity.toFixed(3) })}
        </p>
      ) : null}
    </div>
  );
}

/** The content of the map as a table: each text with its cluster and its nearest text. A click pins the text. */
function MapTable({
  comparison,
  clusters,
  focus,
}: {
  comparison: Comparison;
  clusters: readonly Cluster[];
  focus: FocusStore;
}) {
  const t = useTranslations("embeddings.map");
  const { call, cosines } = comparison;
  const { texts } = call;
  const nearestTexts = useMemo(
    () => Array.from({ length: cosines.count }, (_, index) => neighboursOf(cosines, index)[0]),
    [cosines],
  );
  const clusterOf = new Map(
    clusters.flatMap(({ members }) => members.map((index) => [index, members[0] ?? index] as const)),
  );
  const pinned = useFocus(focus, (state) => state.pinned?.row ?? null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
    <section aria-label={t("asTable")} tabIndex={0} className="min-h-0 overflow-y-auto">
      <Table aria-label={t("table", { count: texts.length })}>
        <TableHeader>
          <TableRow>
            <TableHead className="w-12 text-right">{t("number")}</TableHead>
            <TableHead>{t("text")}</TableHead>
            <TableHead className="hidden md:table-cell">{t("cluster")}</TableHead>
            <TableHead className="hidden md:table-cell">{t("nearestText")}</TableHead>
            <TableHead className="text-right">{t("cosine")}</TableHead>
          </TableRow>
        </TableHeader>
        <TableBody>
          {texts.map((text, index) => {
            const nearest = nearestTexts[index];
            const nearestText = nearest ? `${nearest.index + 1}. ${texts[nearest.index] ?? ""}` : "–";
            const label = clusterOf.get(index);
            return (
              // The texts have no ID and never move.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <TableRow key={index} data-selected={pinned === index ? "" : undefined}>
                <TableCell className="tabular text-right text-ink-faint">{index + 1}</TableCell>
                <TableCell>
                  <button
                    type="button"
                    aria-pressed={pinned === index}
                    onClick={() => focus.pin(pinned === index ? null : { row: index, column: null })}
                    className="line-clamp-2 break-words rounded-sm text-left"
                  >
                    {text}
                  </button>
                  <span className="line-clamp-2 text-sm text-ink-muted md:hidden">{nearestText}</span>
                </TableCell>
                <TableCell className="hidden text-ink-muted md:table-cell">
                  <span className="line-clamp-1">{label === undefined ? "–" : texts[label]}</span>
                </TableCell>
                <TableCell className="hidden text-ink-muted md:table-cell">
                  <span className="line-clamp-2">{nearestText}</span>
                </TableCell>
                <TableCell className="tabular text-right">{nearest?.similarity.toFixed(3)}</TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
    </section>
  );
}
