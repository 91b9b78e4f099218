"use client";

import { useTheme } from "next-themes";
import { useEffect } from "react";
import { Toaster as Sonner, toast as sonner } from "sonner";
import { useTranslations } from "use-intl";
import { keepFocus } from "../ui/keep-focus";
import { drawToasts, type Toast } from "../ui/toast";

const STYLE = {
  "--normal-bg": "var(--raised)",
  "--normal-text": "var(--ink)",
  "--normal-border": "var(--line)",
  "--border-radius": "var(--radius-md)",
};

/** An error can be read twice. */
const ERROR_MS = 10_000;

/** The toast with an action; another replaces it. */
let withAction: string | number | undefined;

function draw({ kind, text, action }: Toast): void {
  if (!action)
    return void sonner[kind](text, kind === "error" ? { duration: ERROR_MS, closeButton: true } : {});
  if (withAction !== undefined) sonner.dismiss(withAction);
  // No time limit: the keyboard and screen readers take a while to reach the button.
  withAction = sonner[kind](text, { action, duration: Number.POSITIVE_INFINITY, closeButton: true });
}

/** Moves the focus off a toast that goes. */
function keepFocusOf(list: HTMLElement | null) {
  list?.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement) keepFocus(target);
  });
}

/** Draws toasts with sonner; its code is loaded with the first input. */
export function ToastList() {
  const t = useTranslations("common");
  const { resolvedTheme } = useTheme();
  // After sonner's own effect, which makes its list ready.
  useEffect(() => drawToasts(draw), []);
  return (
    <Sonner
      ref={keepFocusOf}
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      containerAriaLabel={t("notifications")}
      // Not at the bottom, where forms have a sticky save bar, nor at the right, where pages have buttons.
      position="top-center"
      // Below the top bar on a phone.
      mobileOffset={{ top: 64 }}
      // Custom properties are not in React's type of style.
      style={STYLE as React.CSSProperties}
      toastOptions={{
        closeButtonAriaLabel: t("close"),
        classNames: {
          description: "text-ink-muted",
          toast: "font-sans shadow-float",
          closeButton: "size-6! pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5",
        },
      }}
    />
  );
}
