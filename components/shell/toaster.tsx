"use client";

import { useTheme } from "next-themes";
import { Toaster as Sonner } from "sonner";
import { useTranslations } from "use-intl";

const STYLE = {
  "--normal-bg": "var(--raised)",
  "--normal-text": "var(--ink)",
  "--normal-border": "var(--line)",
  "--border-radius": "var(--radius-md)",
};

/** Where notices appear: `toast.success(…)` from sonner. */
export function Toaster() {
  const t = useTranslations("common");
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      containerAriaLabel={t("notifications")}
      // Below stand the buttons that save a form and go with the page, at the right a page's own: here is free.
      position="top-center"
      // Under the bar at the top of a phone.
      mobileOffset={{ top: 64 }}
      // Custom properties are not in React's type of style.
      style={STYLE as React.CSSProperties}
      toastOptions={{ classNames: { description: "text-ink-muted", toast: "font-sans shadow-float" } }}
    />
  );
}
