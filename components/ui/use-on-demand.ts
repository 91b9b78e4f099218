"use client";

import { type ComponentType, useCallback, useState } from "react";

/**
 * A component whose code is loaded on first use (`loadNow`). `trigger`: props of the button that shows it, which fetches
 * the code early, on hover or focus. `load` must not change between renders.
 */
export function useOnDemand<Props>(load: () => Promise<ComponentType<Props>>) {
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
  const preload = () => void load().catch(() => undefined);
  const trigger = { "aria-expanded": false, onPointerEnter: preload, onFocus: preload, onClick: loadNow };
  return { Loaded, loadNow, trigger };
}
