"use client";

import { useMemo } from "react";
import { useFormatter } from "use-intl";
import { dollarsFormat } from "@/lib/client/money";

/** Formats of the metrics on the channel pages. */
export interface MetricFormat {
  money(dollars: number): string;
  /** A share from 0 to 1 as a percentage; one decimal below 10 %. */
  share(part: number): string;
  /** `340 ms`, `1.2 s` */
  duration(ms: number): string;
  count(value: number): string;
}

export function useMetricFormat(): MetricFormat {
  const format = useFormatter();
  return useMemo(
    () => ({
      money: (dollars) => format.number(dollars, dollarsFormat(dollars)),
      share: (part) =>
        format.number(part, { style: "percent", maximumFractionDigits: part > 0 && part < 0.1 ? 1 : 0 }),
      duration: (ms) =>
        ms < 1_000
          ? format.number(ms, { style: "unit", unit: "millisecond", maximumFractionDigits: 0 })
          : format.number(ms / 1_000, { style: "unit", unit: "second", maximumFractionDigits: 1 }),
      count: (value) => format.number(value),
    }),
    [format],
  );
}
