import { type RefObject, useEffect, useEffectEvent } from "react";

/** Handles the wheel. React's listeners are passive and could not keep the browser from scrolling or zooming. */
export function useWheel(target: RefObject<HTMLElement | null>, handle: (event: WheelEvent) => void): void {
  const onWheel = useEffectEvent(handle);
  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const listen = (event: WheelEvent) => onWheel(event);
    element.addEventListener("wheel", listen, { passive: false });
    return () => element.removeEventListener("wheel", listen);
  }, [target]);
}
