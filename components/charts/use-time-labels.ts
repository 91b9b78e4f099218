import { useFormatter } from "use-intl";
import type { TimeTick } from "./chart-scale";

const DAY_MS = 86_400_000;

/** Labels for instants of a chart, in the visitor's language and time zone. */
export function useTimeLabels(bucketMs: number) {
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
