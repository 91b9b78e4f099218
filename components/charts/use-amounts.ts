import { useMemo } from "react";
import { useFormatter, useLocale } from "use-intl";
import { type Amounts, amountsIn } from "@/lib/client/amounts";

const LATIN = { numberingSystem: "latn" } as const;

/** Formats of figures and times in the visitor's language and time zone. */
interface PageAmounts extends Amounts {
  /** Date and time to the second, in the visitor's time zone. */
  exact(at: string): string;
  /** Short date and time to the second: `Nov 21, 13:05:09`. */
  stamp(at: string): string;
}

export function useAmounts(): PageAmounts {
  const locale = useLocale();
  const format = useFormatter();
  return useMemo(
    () => ({
      ...amountsIn(locale),
      exact: (at) =>
        format.dateTime(new Date(at), {
          dateStyle: "medium",
          timeStyle: "medium",
          hourCycle: "h23",
          ...LATIN,
        }),
      stamp: (at) =>
        format.dateTime(new Date(at), {
          month: "short",
          day: "2-digit",
          hour: "2-digit",
          minute: "2-digit",
          second: "2-digit",
          hourCycle: "h23",
          ...LATIN,
        }),
    }),
    [locale, format],
  );
}
