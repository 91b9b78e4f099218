"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * Renders `fallback` until the content comes into view or the user interacts with the page, so that content below the
 * fold does not delay the first paint.
 */
export function DeferUntilVisible({ fallback, children }: { fallback: ReactNode; children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  const container = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isDue || !container.current) return;
    const show = () => setDue(true);
    // The bottom 10 % of the window does not count as visible.
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) show();
      },
      { rootMargin: "0px 0px -10% 0px" },
    );
    observer.observe(container.current);
    const inputs = ["pointerdown", "keydown", "scroll", "focusin"] as const;
    for (const name of inputs) window.addEventListener(name, show, { once: true, passive: true });
    return () => {
      observer.disconnect();
      for (const name of inputs) window.removeEventListener(name, show);
    };
  }, [isDue]);

  return isDue ? children : <div ref={container}>{fallback}</div>;
}
