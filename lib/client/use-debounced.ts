import { useEffect, useState } from "react";

const DEBOUNCE_MS = 150;

/** `value` after it has not changed for `DEBOUNCE_MS`. */
export function useDebounced(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
