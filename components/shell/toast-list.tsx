"use client";

import { usePathname } from "next/navigation";
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

/** Long enough to read an error twice. */
const ERROR_MS = 10_000;

/**
 * Keyboard and screen-reader users need a while to reach the button of a toast. Without a time limit, the toast would
 * keep covering buttons of the page.
 */
const ACTION_MS = 30_000;

/** The toast with an action; the next toast with an action replaces it. `hold` removes its time limit. */
let withAction: { id: string | number; hold(): void } | undefined;

function draw({ kind, text, action }: Toast): void {
  if (!action)
    return void sonner[kind](text, kind === "error" ? { duration: ERROR_MS, closeButton: true } : {});
  dismissAction();
  const id = sonner[kind](text, { action, duration: ACTION_MS, closeButton: true });
  const hold = () =>
    sonner[kind](text, { id, action, duration: Number.POSITIVE_INFINITY, closeButton: true });
  withAction = { id, hold };
}

function dismissAction(): void {
  if (withAction !== undefined) sonner.dismiss(withAction.id);
  withAction = undefined;
}

/** Keeps a toast whose action has the focus, and moves the focus when the focused toast is removed. */
function keepFocusOf(list: HTMLElement | null) {
  list?.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    if (target.closest("[data-sonner-toast]")?.querySelector("[data-action]")) withAction?.hold();
    keepFocus(target);
  });
}

/** Draws toasts with sonner; its code is loaded with the first input. */
export function ToastList() {
  const t = useTranslations("common");
  const { resolvedTheme } = useTheme();
  const pathname = usePathname();
  // Runs after sonner's own effect, which makes its list ready.
  useEffect(() => drawToasts(draw), []);
  // An action, such as Undo, changes what its page shows, so its toast is dismissed with the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the page is left
  useEffect(() => dismissAction, [pathname]);
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
          // Also usable above a dialog, which disables the pointer for everything else.
          toast: "pointer-events-auto font-sans shadow-float",
          closeButton: "size-6! pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5",
        },
      }}
    />
  );
}
