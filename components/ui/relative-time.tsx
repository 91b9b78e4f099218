"use client";

import { useSyncExternalStore } from "react";
import { useFormatter, useNow, useTranslations } from "use-intl";

const MINUTE_MS = 60_000;

/** An instant as words ("3 hours ago"), with the exact time on hover. `at`: RFC 3339; `say` puts the words in a phrase. */
export function RelativeTime({ at, phrase }: { at: string; phrase?(when: string): string }) {
  const tell = useRelativeTime();
  const format = useFormatter();
  // The server knows neither the visitor's time zone nor how long its page travels.
  const isInBrowser = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  const exact = format.dateTime(new Date(at), {
    dateStyle: "medium",
    timeStyle: "medium",
    hourCycle: "h23",
    numberingSystem: "latn",
  });
  return (
    <time dateTime={at} title={isInBrowser ? exact : undefined} suppressHydrationWarning>
      {phrase ? phrase(tell(at)) : tell(at)}
    </time>
  );
}

const neverChanges = () => () => undefined;

/** Words for an instant given as RFC 3339; they move on with the clock. */
export function useRelativeTime(): (at: string) => string {
  const t = useTranslations("common");
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE_MS });
  return (at) => {
    const date = new Date(at);
    // What has just happened lies a moment after the last tick.
    const isFresh = Math.abs(date.getTime() - now.getTime()) < MINUTE_MS;
    return isFresh ? t("justNow") : format.relativeTime(date, { now, numberingSystem: "latn" });
  };
}
