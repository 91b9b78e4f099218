"use client";

import { type PointerEvent, type ReactNode, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { niceTicks, timeTicks } from "@/components/charts/chart-scale";
import { cn } from "../ui/class-names";
import { bandOf, bucketAt, centreOf, type Frame } from "./bars";
import { ChartTable } from "./chart-table";
import { Plot } from "./plot";
import { Readout } from "./readout";
import { type ChartSeries, highest } from "./series";
import { useTimeLabels } from "./use-time-labels";
import { useWidth } from "./use-width";

const TOP = 10;
const BOTTOM = 26;
/** Widths of a figure and of a time label, generously. */
const DIGIT = 7;
const TIME_LABEL = 68;

export interface TimeChartProps {
  /** What is shown, as a phrase: "Requests by hour". Heard, not seen: a heading stands above the chart. */
  label: string;
  /** Beginnings of the buckets, in milliseconds since 1970: ascending, without holes (an hour without calls is a 0). */
  buckets: readonly number[];
  /** Length of a bucket. From a day on, a bucket is labelled with its date alone. */
  bucketMs: number;
  /** At least one. Bars stand on each other, lines are drawn over them; all share one axis that begins at 0. */
  series: readonly ChartSeries[];
  /** A value in words, for readout and table: `1,204`, `$0.02`, `340 ms`. */
  format(value: number): string;
  /** The same, short, for the axis (`1.2K`). Default: `format`. */
  formatTick?(value: number): string;
  /** Values are counts: no fractions on the axis. */
  isWhole?: boolean;
  /** In CSS pixels; the same while loading and when empty, so that nothing shifts. */
  height?: number;
  /** Shown over the empty axes when there is nothing above 0; default: a word. */
  empty?: ReactNode;
  /** A press on a bucket: its number. Without it a press only reads out. */
  onPick?(index: number): void;
  className?: string;
}

/**
 * Values over equal pieces of time. Pointer, finger and arrow keys read a bucket out; those who hear the page get a
 * sentence, a slider that speaks the buckets, and a table. It draws nothing on the server, whose clock is not the
 * visitor's, but takes its room there.
 */
export function TimeChart(props: TimeChartProps) {
  const { label, buckets, bucketMs, series, format, height = 224, isWhole, onPick, className } = props;
  const t = useTranslations("common.chart");
  const { ref, width } = useWidth<HTMLDivElement>();
  const slider = useRef<HTMLInputElement>(null);
  const [active, setActive] = useState<number | null>(null);
  const labels = useTimeLabels(bucketMs);
  const formatTick = props.formatTick ?? format;

  const most = highest(series, buckets.length);
  const ticks = niceTicks(most, Math.max(2, Math.floor(height / 56)), isWhole);
  const left = 12 + DIGIT * Math.max(...ticks.map((value) => formatTick(value).length));
  const frame: Frame = {
    left,
    right: Math.max(left + 1, width),
    top: TOP,
    bottom: height - BOTTOM,
    buckets: buckets.length,
    most: ticks.at(-1) ?? 1,
  };
  const read = active !== null && active < buckets.length ? active : null;
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const index = bucketAt(frame, event.clientX - event.currentTarget.getBoundingClientRect().left);
    setActive(index);
    return index;
  };
  const spoken = (index: number) =>
    [
      labels.bucket(buckets[index] ?? 0),
      ...series.map((one) => `${one.name}: ${format(one.values[index] ?? 0)}`),
    ].join(", ");

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the slider within takes the keyboard; this is its pointer.
    <div
      ref={ref}
      data-slot="time-chart"
      className={cn(
        "relative touch-pan-y select-none rounded-sm has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-4",
        onPick && "cursor-pointer",
        className,
      )}
      style={{ height }}
      onPointerMove={move}
      onPointerDown={(event) => {
        move(event);
        // Focus holds the readout of a finger that has left; the next press elsewhere takes it away.
        if (event.pointerType !== "mouse") slider.current?.focus({ preventScroll: true });
        event.preventDefault();
      }}
      onPointerLeave={(event) => event.pointerType === "mouse" && setActive(null)}
      onClick={(event) =>
        onPick?.(bucketAt(frame, event.clientX - event.currentTarget.getBoundingClientRect().left))
      }
      onKeyDown={(event) => {
        if (event.key === "Enter" && read !== null) onPick?.(read);
        if (event.key === "Escape") setActive(null);
      }}
    >
      {width > 0 && buckets.length > 0 ? (
        <>
          {/* Out of the flow, so that a drawing of yesterday's width does not hold the box open. */}
          <div role="img" aria-label={summary()} className="absolute inset-0">
            <Plot
              frame={frame}
              width={width}
              height={height}
              ticks={ticks}
              format={formatTick}
              times={times()}
              timeLabel={labels.tick}
              series={series}
              active={read}
            />
          </div>
          <input
            ref={slider}
            type="range"
            min={0}
            max={buckets.length - 1}
            value={read ?? buckets.length - 1}
            aria-label={t("read", { label })}
            aria-valuetext={spoken(read ?? buckets.length - 1)}
            onChange={(event) => setActive(Number(event.target.value))}
            onFocus={() => setActive((index) => index ?? buckets.length - 1)}
            onBlur={() => setActive(null)}
            className="pointer-events-none absolute bottom-0 left-0 size-px opacity-0"
          />
          {most === 0 ? (
            <div className="pointer-events-none absolute inset-0 flex items-center justify-center pb-6 text-sm text-ink-muted">
              {/* Its own ground: the lines of the grid do not run through the word. */}
              <span className="rounded-sm bg-panel px-2 py-0.5">{props.empty ?? t("empty")}</span>
            </div>
          ) : read !== null ? (
            <Readout
              x={centreOf(frame, read)}
              width={width}
              title={labels.bucket(buckets[read] ?? 0)}
              series={series}
              index={read}
              format={format}
            />
          ) : null}
          <ChartTable
            label={label}
            buckets={buckets}
            bucketLabel={labels.bucket}
            series={series}
            format={format}
          />
        </>
      ) : null}
    </div>
  );

  function summary(): string {
    if (most === 0) return t("summaryEmpty", { label });
    const values = series[0]?.values ?? [];
    const peak = values.reduce<number>(
      (best, value, index) => ((value ?? 0) > (values[best] ?? 0) ? index : best),
      0,
    );
    return t("summary", {
      label,
      from: labels.bucket(buckets[0] ?? 0),
      to: labels.bucket(buckets.at(-1) ?? 0),
      peak: format(values[peak] ?? 0),
      when: labels.bucket(buckets[peak] ?? 0),
    });
  }

  /** Labels of the time axis, each at its bucket's left edge (days: at its middle), none cut off at an end. */
  function times() {
    const [first = 0] = buckets;
    const end = (buckets.at(-1) ?? 0) + bucketMs;
    const isDaily = bucketMs >= 86_400_000;
    const found = timeTicks(first, end, Math.max(2, Math.floor((frame.right - frame.left) / TIME_LABEL)));
    return found
      .map((tick) => ({
        ...tick,
        x:
          frame.left +
          ((tick.at - first) / (end - first)) * (frame.right - frame.left) +
          (isDaily ? bandOf(frame) / 2 : 0),
      }))
      .filter((tick) => tick.x > frame.left + 8 && tick.x < frame.right - 20);
  }
}
