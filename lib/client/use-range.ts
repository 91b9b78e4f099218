import { useSearchParams } from "next/navigation";
import { useEffect, useMemo, useState } from "react";
import { MINUTE_MS } from "../contracts/durations";
import { type Range, type RangeName, readRange } from "./range";

/**
 * The range of this page's address, moving on with the clock. `now`: the server's time when it rendered the page, so
 * that the first reading asks for what the server has already answered; without it a page that reads on its own
 * starts with the browser's time.
 */
export function useRange(fallback: RangeName = "24h", now?: number): Range {
  const address = useSearchParams();
  const [time, setTime] = useState(() => now ?? Date.now());
  useEffect(() => {
    const timer = setInterval(() => setTime(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const { name, from, to } = readRange(address, time, fallback);
  // One object for as long as its ends stand.
  return useMemo(() => readRange(rangeOf(name, from, to), to - 1, fallback), [name, from, to, fallback]);
}

function rangeOf(name: Range["name"], from: number, to: number) {
  const query = new URLSearchParams();
  if (name !== "custom") query.set("range", name);
  else {
    query.set("from", new Date(from).toISOString());
    query.set("to", new Date(to).toISOString());
  }
  return query;
}
