"use client";

import { useEffect, useState } from "react";

/** Seconds until `until` (ms since 1970), rounded up, counting down to 0; 0 if `until` is null. */
export function useCountdown(until: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  const left = until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1_000));
  const isRunning = left > 0;

  useEffect(() => {
    if (until === null) return;
    setNow(Date.now());
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [until, isRunning]);

  return left;
}

/** `75` → `1:15`, `3725` → `1:02:05`. */
export function clockTime(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
