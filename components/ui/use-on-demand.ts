"use client";

import { type ComponentType, useCallback, useState } from "react";

/**
 * A component fetched by the first press that needs it (`demand`), so that a visit which never presses does not pay
 * for it. `warm` fetches ahead, when the pointer or the keyboard comes near. `load` must not change between renders.
 */
export function useOnDemand<Props>(load: () => Promise<ComponentType<Props>>): {
  Loaded: ComponentType<Props> | null;
  loadNow(): void;
  preload(): void;
} {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  // A fetch that failed (the server is away) is tried again by the next press.
  const loadNow = useCallback(
    () =>
      void load().then(
        (one) => setLoaded(() => one),
        () => undefined,
      ),
    [load],
  );
  const preload = useCallback(() => void load().catch(() => undefined), [load]);
  return { Loaded, loadNow, preload };
}
