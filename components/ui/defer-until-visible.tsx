"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * Holds back what lies below the first screen until the visitor does something or it comes into view, so that the
 * first paint does not pay for it. `fallback` keeps its place.
 */
export function DeferUntilVisible({ fallback, children }: { fallback: ReactNode; children: ReactNode }) {
  const [isNear, setNear] = useState(false);
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isNear || !place.current) return;
    const come = () => setNear(true);
    // The lowest tenth of the window does not count: what only peeps in is not being read yet.
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some((one) => one.isIntersecting)) come();
      },
      { rootMargin: "0px 0px -10% 0px" },
    );
    seen.observe(place.current);
    const inputs = ["pointerdown", "keydown", "scroll", "focusin"] as const;
    for (const name of inputs) window.addEventListener(name, come, { once: true, passive: true });
    return () => {
      seen.disconnect();
      for (const name of inputs) window.removeEventListener(name, come);
    };
  }, [isNear]);

  return isNear ? children : <div ref={place}>{fallback}</div>;
}
