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

/** Renders sonner's toasts (`toast.success(…)`). */
export function Toaster() {
  const t = useTranslations("common");
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      containerAriaLabel={t("notifications")}
      // The bottom has the sticky save bar of forms, the right a page's own buttons.
      position="top-center"
      // Below the top bar on a phone.
      mobileOffset={{ top: 64 }}
      // Custom properties are not in React's type of style.
      style={STYLE as React.CSSProperties}
      toastOptions={{ classNames: { description: "text-ink-muted", toast: "font-sans shadow-float" } }}
    />
  );
}
