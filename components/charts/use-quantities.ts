"use client";

import { useMemo } from "react";
import { useLocale } from "use-intl";
import { dollarsFormat } from "@/lib/client/money";

/** Formats numbers with units in the visitor's language. */
export function useQuantities() {
  const locale = useLocale();
  return useMemo(() => {
    const unit = (name: string, digits: number) =>
      new Intl.NumberFormat(locale, {
        style: "unit",
        unit: name,
        unitDisplay: "short",
        maximumFractionDigits: digits,
      });
    const milliseconds = unit("millisecond", 0);
    const seconds = unit("second", 1);
    const minutes = unit("minute", 0);
    const count = new Intl.NumberFormat(locale);
    const share = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
    const bytes = (value: number) =>
      value < 1_000_000
        ? unit("kilobyte", value < 10_000 ? 1 : 0).format(value / 1000)
        : unit("megabyte", 1).format(value / 1_000_000);
    return {
      /** 87 ms, 1.4 s, 12 min 5 s. */
      duration(ms: number): string {
        if (ms < 1000) return milliseconds.format(Math.round(ms));
        if (ms < 60_000) return seconds.format(ms / 1000);
        const whole = Math.round(ms / 1000);
        return `${minutes.format(Math.floor(whole / 60))} ${seconds.format(whole % 60)}`;
      },
      money: (dollars: number) => new Intl.NumberFormat(locale, dollarsFormat(dollars)).format(dollars),
      count: (value: number) => count.format(value),
      share: (value: number) => share.format(value),
      bytes,
    };
  }, [locale]);
}
