"use client";

import { type ComponentType, useCallback, useState } from "react";
import { partInOrder } from "@/lib/client/load-part";

/**
 * A component whose code is loaded on first use (`loadNow`; see `loadPart`). `trigger`: props of the button that shows
 * it, which fetches the code early, on hover or focus. `load` must not change between renders.
 */
export function useOnDemand<Props>(load: () => Promise<ComponentType<Props>>) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const [loadOnce] = useState(() => partInOrder(load));
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  const loadNow = useCallback(
    () =>
      void loadOnce().then(
        (component) => setLoaded(() => component),
        (error) => setFailure({ error }),
      ),
    [loadOnce],
  );
  // Thrown to the error boundary, like an error in any other part of the page.
  if (failure) throw failure.error;
  const preload = () => void load().catch(() => undefined);
  const trigger = { "aria-expanded": false, onPointerEnter: preload, onFocus: preload, onClick: loadNow };
  return { Loaded, loadNow, trigger };
}
