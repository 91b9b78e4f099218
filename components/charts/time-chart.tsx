"use client";

import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { DAY_MS } from "@/lib/contracts/durations";
import { cn } from "../ui/class-names";
import { niceTicks, type TimeTick } from "./chart-scale";
import { ChartTable } from "./chart-table";
import { Plot } from "./plot";
import { bucketAt, bucketCentre, type PlotFrame, plotFrame, timeLabels } from "./plot-geometry";
import { Readout } from "./readout";
import { type ChartSeries, columnsOf, heightOf, maxOf, valueText } from "./series";

interface TimeChartProps {
  /** What is shown, as a phrase for screen readers: "Requests by hour". The visible heading is the page's. */
  label: string;
  /** Start of each bucket, in milliseconds since 1970: ascending, without gaps (an hour without calls is a 0). */
  buckets: readonly number[];
  /** Length of a bucket. Buckets of a day or more are labelled with their date only. */
  bucketMs: number;
  /** At least one. Bars are stacked, lines are drawn over them; all share one axis that starts at 0. */
  series: readonly ChartSeries[];
  /** Formats a value for readout and table: `1,204`, `$0.02`, `340 ms`. */
  format(value: number): string;
  /** Short form for the axis (`1.2K`). Default: `format`. */
  formatTick?(value: number): string;
  /** Values are counts: no fractions on the axis. */
  isWhole?: boolean;
  /** In CSS pixels; the same while loading and when empty, to avoid layout shifts. */
  height: number;
  /** Shown over the empty axes when no value is above 0. Default: a standard text. */
  empty?: ReactNode;
  /** Called with the index of a clicked bucket, or of the active one on Enter. */
  onPick?(index: number): void;
}

/**
 * Values over equal periods. Pointer, touch and arrow keys select a bucket and show its values; screen readers get a
 * summary, a slider over the buckets and a table. The server renders an empty box of the same height, because it does
 * not know the visitor's time zone.
 */
export function TimeChart(props: TimeChartProps) {
  const { buckets, height, onPick } = props;
  const { ref, width } = useWidth<HTMLDivElement>();
  const slider = useRef<HTMLInputElement>(null);
  const [active, setActive] = useState<number | null>(null);
  const axes = axesOf(props, { width, height });
  const selected = active !== null && active < buckets.length ? active : null;
  const bucketUnder = (event: { clientX: number; currentTarget: Element }) =>
    bucketAt(axes.frame, event.clientX - event.currentTarget.getBoundingClientRect().left);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the pointer only; the slider within takes the keyboard
    <div
      ref={ref}
      data-slot="time-chart"
      className={cn(
        "relative touch-pan-y select-none rounded-sm has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-4",
        onPick && "cursor-pointer",
      )}
      style={{ height }}
      onPointerMove={(event) => setActive(bucketUnder(event))}
      onPointerDown={(event) => {
        setActive(bucketUnder(event));
        // Focus keeps the readout open after a touch ends; the next touch elsewhere closes it.
        if (event.pointerType !== "mouse") slider.current?.focus({ preventScroll: true });
        event.preventDefault();
      }}
      onPointerLeave={(event) => event.pointerType === "mouse" && setActive(null)}
      onClick={(event) => onPick?.(bucketUnder(event))}
      onKeyDown={(event) => {
        if (event.key === "Enter" && selected !== null) onPick?.(selected);
        if (event.key === "Escape") setActive(null);
      }}
    >
      {width > 0 && buckets.length > 0 ? (
        <ChartContent
          {...props}
          {...axes}
          size={{ width, height }}
          selected={selected}
          slider={slider}
          onSelect={setActive}
        />
      ) : null}
    </div>
  );
}

interface Size {
  width: number;
  height: number;
}

/** The frame of the plot and the ticks of its vertical axis. */
interface Axes {
  frame: PlotFrame;
  ticks: readonly number[];
  formatTick(value: number): string;
  /** No value is above 0. */
  isEmpty: boolean;
}

function axesOf({ buckets, series, isWhole, format, formatTick = format }: TimeChartProps, size: Size): Axes {
  const max = maxOf(series, buckets.length);
  const ticks = niceTicks(max, Math.max(2, Math.floor(size.height / 56)), isWhole);
  const frame = plotFrame({
    ...size,
    buckets: buckets.length,
    max: ticks.at(-1) ?? 1,
    tickLength: Math.max(...ticks.map((value) => formatTick(value).length)),
  });
  return { frame, ticks, formatTick, isEmpty: max === 0 };
}

interface ChartContentProps extends Omit<TimeChartProps, "formatTick">, Axes {
  size: Size;
  selected: number | null;
  slider: RefObject<HTMLInputElement | null>;
  onSelect(select: number | null | ((index: number | null) => number | null)): void;
}

function ChartContent(props: ChartContentProps) {
  const { label, buckets, bucketMs, series, format, size, frame, isEmpty, selected } = props;
  const t = useTranslations("common.chart");
  const labels = useTimeLabels(bucketMs);
  const summary = useSummary(props);
  return (
    <>
      {/* Absolute, so that a drawing of the previous width does not keep the box from shrinking. */}
      <div role="img" aria-label={summary} className="absolute inset-0">
        <Plot
          frame={frame}
          width={size.width}
          height={size.height}
          ticks={props.ticks}
          format={props.formatTick}
          times={timeLabels(frame, buckets, bucketMs)}
          timeLabel={labels.tick}
          series={series}
          active={selected}
        />
      </div>
      <Slider {...props} />
      {isEmpty ? (
        <div className="pointer-events-none absolute inset-0 flex items-center justify-center pb-6 text-sm text-ink-muted">
          {/* The background hides the grid lines behind the text. */}
          <span className="rounded-sm bg-panel px-2 py-0.5">{props.empty ?? t("empty")}</span>
        </div>
      ) : selected !== null ? (
        <Readout
          x={bucketCentre(frame, selected)}
          width={size.width}
          title={labels.bucket(buckets[selected] ?? 0)}
          series={series}
          index={selected}
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
  );
}

/** Selects a bucket by keyboard, and reads its values to screen-reader users. */
function Slider({ label, buckets, bucketMs, series, format, selected, slider, onSelect }: ChartContentProps) {
  const t = useTranslations("common.chart");
  const labels = useTimeLabels(bucketMs);
  const last = buckets.length - 1;
  const shown = selected ?? last;
  const values = columnsOf(series, (name) => t("nameBefore", { name })).map(
    (one) => `${one.name}: ${valueText(one.values[shown], format)}`,
  );
  return (
    <input
      ref={slider}
      type="range"
      min={0}
      max={last}
      value={shown}
      aria-label={t("read", { label })}
      aria-valuetext={[labels.bucket(buckets[shown] ?? 0), ...values].join(", ")}
      onChange={(event) => onSelect(Number(event.target.value))}
      onFocus={() => onSelect((index) => index ?? last)}
      onBlur={() => onSelect(null)}
      className="pointer-events-none absolute bottom-0 left-0 size-px opacity-0"
    />
  );
}

/** A sentence with the range and the peak of the first series. */
function useSummary({ label, buckets, bucketMs, series, format, isEmpty }: ChartContentProps): string {
  const t = useTranslations("common.chart");
  const labels = useTimeLabels(bucketMs);
  if (isEmpty) return t("summaryEmpty", { label });
  const heights = buckets.map((_, index) => heightOf(series, index));
  const peak = heights.indexOf(Math.max(...heights));
  return t("summary", {
    label,
    from: labels.bucket(buckets[0] ?? 0),
    to: labels.bucket(buckets.at(-1) ?? 0),
    peak: format(heights[peak] ?? 0),
    when: labels.bucket(buckets[peak] ?? 0),
  });
}

/** The width of an element in CSS pixels; 0 before the browser has laid it out. */
function useWidth<T extends HTMLElement>(): { ref: RefObject<T | null>; width: number } {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Labels for instants of a chart, in the visitor's language and time zone. */
function useTimeLabels(bucketMs: number) {
  const format = useFormatter();
  const time = (at: number) =>
    format.dateTime(at, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", numberingSystem: "latn" });
  const day = (at: number) =>
    format.dateTime(at, { month: "short", day: "numeric", numberingSystem: "latn" });
  return {
    tick: (tick: TimeTick) => (tick.isDay ? day(tick.at) : time(tick.at)),
    /** A whole bucket: a date, or a date with start and end time. */
    bucket: (at: number) => {
      if (bucketMs >= DAY_MS)
        return format.dateTime(at, {
          weekday: "short",
          month: "short",
          day: "numeric",
          numberingSystem: "latn",
        });
      const end = bucketMs > 60_000 ? `–${time(at + bucketMs)}` : "";
      return `${day(at)}, ${time(at)}${end}`;
    },
  };
}
