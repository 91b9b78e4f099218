"use client";

import { useFormatter, useNow, useTranslations } from "use-intl";
import { MINUTE_MS } from "@/lib/contracts/durations";
import { useIsBrowser } from "./use-is-browser";

/** A relative time ("3 hours ago") with the exact time on hover. `at`: RFC 3339; `phrase` puts it into a sentence. */
export function RelativeTime({ at, phrase }: { at: string; phrase?(when: string): string }) {
  const relativeTime = useRelativeTime();
  const format = useFormatter();
  // The server does not know the browser's time zone.
  const isBrowser = useIsBrowser();
  const exact = format.dateTime(new Date(at), {
    dateStyle: "medium",
    timeStyle: "medium",
    hourCycle: "h23",
    numberingSystem: "latn",
  });
  return (
    <time dateTime={at} title={isBrowser ? exact : undefined} suppressHydrationWarning>
      {phrase ? phrase(relativeTime(at)) : relativeTime(at)}
    </time>
  );
}

/** Formats an RFC 3339 time relative to now; the component renders again every minute. */
export function useRelativeTime(): (at: string) => string {
  const t = useTranslations("common");
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE_MS });
  return (at) => {
    const date = new Date(at);
    // `now` lags up to a minute, so a recent time may lie in its future.
    const isRecent = Math.abs(date.getTime() - now.getTime()) < MINUTE_MS;
    return isRecent ? t("justNow") : format.relativeTime(date, { now, numberingSystem: "latn" });
  };
}
