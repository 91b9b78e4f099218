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

/** An error can be read twice. */
const ERROR_MS = 10_000;

/** The keyboard and screen readers take a while to reach a button; for good, its toast would cover the page's own. */
const ACTION_MS = 30_000;

/** The toast with an action; another replaces it. `hold` ends its time limit. */
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

/** Keeps a toast whose action has the focus, and moves the focus off one that goes. */
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
  // After sonner's own effect, which makes its list ready.
  useEffect(() => drawToasts(draw), []);
  // Undo changes what its page shows.
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
          // Also above a dialog, which takes the pointer from all else.
          toast: "pointer-events-auto font-sans shadow-float",
          closeButton: "size-6! pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5",
        },
      }}
    />
  );
}
