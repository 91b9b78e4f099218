import { useFormatter, useTranslations } from "use-intl";
import { dollarsFormat } from "@/lib/client/money";

const LATIN = { numberingSystem: "latn" } as const;

/** Amounts of calls in words: money, times, counts, sound. */
export function useAmounts() {
  const format = useFormatter();
  const t = useTranslations("calls");
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
    /** The same, short: `1.2K`. */
    short: (value: number) =>
      format.number(value, { notation: "compact", maximumFractionDigits: 1, ...LATIN }),
    ms,
    money: (dollars: number) => format.number(dollars, dollarsFormat(dollars)),
    /** A length of sound, from milliseconds: seconds, minutes, hours. */
    sound: (value: number): string => {
      if (value < 60_000) return unit(value / 1_000, "second", 1);
      if (value < 3_600_000) return unit(value / 60_000, "minute", 1);
      return unit(value / 3_600_000, "hour", 1);
    },
    share: (value: number) => format.number(value, { style: "percent", maximumFractionDigits: 1, ...LATIN }),
    tokens: (value: number) => t("tokens", { number: value, count: count(value) }),
    /** Date and time to the second, in the visitor's zone. */
    exact: (at: string) =>
      format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23", ...LATIN }),
    /** The same as a log's line has it: `Nov 21, 13:05:09`. */
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
