"use client";

import { type ComponentType, useCallback, useState } from "react";

/**
 * A component whose code is loaded on first use (`loadNow`). `preload` fetches it early, on hover or focus. `load` must
 * not change between renders.
 */
export function useOnDemand<Props>(load: () => Promise<ComponentType<Props>>): {
  Loaded: ComponentType<Props> | null;
  loadNow(): void;
  preload(): void;
} {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  // A failed load (server unreachable) is retried by the next call.
  const loadNow = useCallback(
    () =>
      void load().then(
        (component) => setLoaded(() => component),
        () => undefined,
      ),
    [load],
  );
  const preload = useCallback(() => void load().catch(() => undefined), [load]);
  return { Loaded, loadNow, preload };
}
