"use client";

import { useTheme } from "next-themes";
import { Toaster as Sonner } from "sonner";

const STYLE = {
  "--normal-bg": "var(--raised)",
  "--normal-text": "var(--ink)",
  "--normal-border": "var(--line)",
  "--border-radius": "var(--radius-md)",
};

/** Where notices appear: `toast.success(…)` from sonner. */
export function Toaster() {
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      position="bottom-right"
      // Custom properties are not in React's type of style.
      style={STYLE as React.CSSProperties}
      toastOptions={{ classNames: { description: "text-ink-muted", toast: "font-sans shadow-float" } }}
    />
  );
}
