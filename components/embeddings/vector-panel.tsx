"use client";

import { DownloadIcon } from "lucide-react";
import { useCallback, useId, useMemo } from "react";
import { useTranslations } from "use-intl";
import { base64FromFloats } from "@/lib/client/embeddings-call";
import { saveFile } from "@/lib/client/save-file";
import { themeColor } from "../charts/theme-color";
import { useAmounts } from "../charts/use-amounts";
import { type Surface, useCanvas } from "../charts/use-canvas";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";
import type { Comparison } from "./comparison";
import { similarityCsv, vectorJson, vectorsCsv, vectorsJson } from "./export";
import { type FocusStore, useFocus } from "./focus-store";
import { dot } from "./similarity";

/** The vector of the pinned text (by default the first), to read and copy, and downloads of all vectors. */
export function VectorPanel({ comparison, focus }: { comparison: Comparison; focus: FocusStore }) {
  const t = useTranslations("embeddings");
  const format = useAmounts();
  const id = useId();
  const index = useFocus(focus, (state) => state.pinned?.row ?? 0);
  const { call, reply } = comparison;
  const vector = reply.vectors[index] ?? new Float32Array();
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="grid gap-0.5">
        <h2 id={id} className="text-lg">
          {t("vector.title")}
        </h2>
        <p className="flex min-w-0 flex-wrap gap-x-2 text-sm text-ink-muted">
          <span className="text-ink">{t("vector.of", { number: index + 1 })}</span>
          <span>
            {t("vector.about", {
              count: format.count(vector.length),
              norm: Math.sqrt(dot(vector, vector)).toFixed(3),
            })}
          </span>
          <span className="w-full truncate">{call.texts[index]}</span>
        </p>
      </div>
      <VectorStripe vector={vector} label={t("vector.signs")} />
      <RawVector index={index} isBase64={call.format === "base64"} vector={vector} />
      <Downloads comparison={comparison} />
    </section>
  );
}

/** The vector as the API sends it. */
function RawVector({ index, isBase64, vector }: { index: number; isBase64: boolean; vector: Float32Array }) {
  const t = useTranslations("embeddings");
  const raw = useMemo(
    () => (isBase64 ? base64FromFloats(vector) : vectorJson(vector).replaceAll(",", ", ")),
    [isBase64, vector],
  );
  return (
    <section
      aria-label={t("vector.raw", { number: index + 1 })}
      className="relative min-w-0 rounded-md border bg-sunken"
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
        tabIndex={0}
        className={cn(
          "max-h-64 overflow-y-auto whitespace-pre-wrap p-4 pr-12 text-sm leading-5",
          isBase64 ? "break-all" : "break-words",
        )}
      >
        {raw}
      </pre>
      <CopyButton
        value={() => (isBase64 ? raw : vectorJson(vector))}
        name={t("vector.copy")}
        className="absolute top-1.5 right-1.5 bg-sunken"
      />
    </section>
  );
}

function Downloads({ comparison: { reply, call, cosines } }: { comparison: Comparison }) {
  const t = useTranslations("embeddings");
  const format = useAmounts();
  const save = (content: string, type: string, name: string) =>
    saveFile(new Blob([content], { type }), `${call.model.replace(/[^\w.-]+/g, "-")}-${name}`);
  // Without a byte order mark, Excel reads UTF-8 in the legacy encoding of its locale.
  const saveCsv = (content: string, name: string) => save(`\uFEFF${content}`, "text/csv", name);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-sm text-ink-muted">
        {t("vector.all", { count: format.count(reply.vectors.length) })}
      </span>
      <Button
        variant="outline"
        size="sm"
        aria-label={t("vector.downloadJson")}
        onClick={() =>
          save(vectorsJson(call.model, call.texts, reply.vectors), "application/json", "vectors.json")
        }
      >
        <DownloadIcon />
        {t("vector.allJson")}
      </Button>
      <Button
        variant="outline"
        size="sm"
        aria-label={t("vector.downloadCsv")}
        onClick={() => saveCsv(vectorsCsv(call.texts, reply.vectors), "vectors.csv")}
      >
        <DownloadIcon />
        {t("vector.allCsv")}
      </Button>
      <Button
        variant="outline"
        size="sm"
        onClick={() => saveCsv(similarityCsv(call.texts, cosines), "similarity.csv")}
      >
        <DownloadIcon />
        {t("matrix.download")}
      </Button>
    </div>
  );
}

/** Draws each component as a stripe, positive ones in the upper half; similar texts have similar patterns. */
function VectorStripe({ vector, label }: { vector: Float32Array; label: string }) {
  const paint = useCallback(
    ({ ctx, canvas, width, height }: Surface) => {
      const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1;
      const stripeWidth = width / Math.max(1, vector.length);
      ctx.fillStyle = themeColor(canvas, "--heat-high");
      for (const [at, value] of vector.entries()) {
        ctx.globalAlpha = Math.sqrt(Math.abs(value) / largest);
        ctx.fillRect(at * stripeWidth, value >= 0 ? 0 : height / 2, Math.max(stripeWidth, 0.5), height / 2);
      }
      ctx.globalAlpha = 1;
    },
    [vector],
  );
  const { canvas } = useCanvas(paint);
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      className="h-10 w-full forced-color-adjust-none rounded-sm bg-heat-low"
    />
  );
}
