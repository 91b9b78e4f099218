"use client";

import { useTheme } from "next-themes";
import { useEffect } from "react";
import { Toaster as Sonner, toast as sonner } from "sonner";
import { useTranslations } from "use-intl";
import { drawToasts } from "../ui/toast";

const STYLE = {
  "--normal-bg": "var(--raised)",
  "--normal-text": "var(--ink)",
  "--normal-border": "var(--line)",
  "--border-radius": "var(--radius-md)",
};

/** Draws toasts with sonner; its code is loaded with the first input. */
export function ToastList() {
  const t = useTranslations("common");
  const { resolvedTheme } = useTheme();
  // After sonner's own effect, which makes its list ready.
  useEffect(
    () => drawToasts(({ kind, text, action }) => void sonner[kind](text, action ? { action } : {})),
    [],
  );
  return (
    <Sonner
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      containerAriaLabel={t("notifications")}
      // Not at the bottom, where forms have a sticky save bar, nor at the right, where pages have buttons.
      position="top-center"
      // Below the top bar on a phone.
      mobileOffset={{ top: 64 }}
      // Custom properties are not in React's type of style.
      style={STYLE as React.CSSProperties}
      toastOptions={{ classNames: { description: "text-ink-muted", toast: "font-sans shadow-float" } }}
    />
  );
}
