import { useFormatter, useTranslations } from "use-intl";
import { dollarsFormat } from "@/lib/client/money";

const LATIN = { numberingSystem: "latn" } as const;

/** Formats figures of calls: money, durations, counts, audio length. */
export function useAmounts() {
  const format = useFormatter();
  const t = useTranslations("requests");
  const unit = (value: number, name: string, digits: number) =>
    format.number(value, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
      ...LATIN,
    });
  const count = (value: number) => format.number(value, LATIN);
  const ms = (value: number): string => {
    if (value < 10) return unit(value, "millisecond", 1);
    if (value < 1_000) return unit(value, "millisecond", 0);
    if (value < 60_000) return unit(value / 1_000, "second", value < 10_000 ? 2 : 1);
    return unit(value / 60_000, "minute", 1);
  };
  return {
    count,
    /** Compact count: `1.2K`. */
    short: (value: number) =>
      format.number(value, { notation: "compact", maximumFractionDigits: 1, ...LATIN }),
    ms,
    money: (dollars: number) => format.number(dollars, dollarsFormat(dollars)),
    /** Audio length, from milliseconds: seconds, minutes or hours. */
    audio: (value: number): string => {
      if (value < 60_000) return unit(value / 1_000, "second", 1);
      if (value < 3_600_000) return unit(value / 60_000, "minute", 1);
      return unit(value / 3_600_000, "hour", 1);
    },
    share: (value: number) => format.number(value, { style: "percent", maximumFractionDigits: 1, ...LATIN }),
    tokens: (value: number) => t("tokens", { number: value, count: count(value) }),
    /** Date and time to the second, in the visitor's time zone. */
    exact: (at: string) =>
      format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23", ...LATIN }),
    /** Short date and time to the second: `Nov 21, 13:05:09`. */
    stamp: (at: string) =>
      format.dateTime(new Date(at), {
        month: "short",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
        hourCycle: "h23",
        ...LATIN,
      }),
  };
}
