import { useEffect, useEffectEvent } from "react";

/** Calls `handle` for each event of this name at the window, with the props and state of the latest render. */
export function useWindowEvent<Name extends keyof WindowEventMap>(
  name: Name,
  handle: (event: WindowEventMap[Name]) => void,
): void {
  const onEvent = useEffectEvent(handle);
  useEffect(() => {
    const listen = (event: WindowEventMap[Name]) => onEvent(event);
    window.addEventListener(name, listen);
    return () => window.removeEventListener(name, listen);
  }, [name]);
}
