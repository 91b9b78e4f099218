import { useSearchParams } from "next/navigation";
import { useEffect, useMemo, useState } from "react";
import { MINUTE_MS } from "../contracts/durations";
import { type Range, rangeOf, readRange } from "./range";

/**
 * The range of the page's URL, updated as time passes. `now`: the server time of the rendered page, so that the first
 * requests match the data in the server's reply. Default: the browser's time.
 */
export function useRange(now?: number): Range {
  const searchParams = useSearchParams();
  const [time, setTime] = useState(() => now ?? Date.now());
  useEffect(() => {
    // A page that Back restores has the time of its first visit.
    setTime((before) => (Date.now() - before > MINUTE_MS ? Date.now() : before));
    const timer = setInterval(() => setTime(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const { name, from, to } = readRange(searchParams, time);
  // The same object until one of its values changes.
  return useMemo(() => rangeOf(name, from, to), [name, from, to]);
}
