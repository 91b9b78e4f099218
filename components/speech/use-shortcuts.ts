"use client";

import { useEffect } from "react";

/** Fields that take spaces, and controls that Space activates. */
const TAKES_SPACE =
  'a[href], button, select, textarea, summary, [contenteditable], [role="menuitem"], [role="tab"], [role="radio"], input:not([type="range"]):not([type="radio"])';

/** Ctrl- or Cmd-Enter speaks, Escape stops, Space plays or pauses where the focused element does not use it. */
export function useShortcuts(act: { speak(): void; stop(): void; toggle(): void }): void {
  const { speak, stop, toggle } = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const target = event.target instanceof Element ? event.target : null;
      // Dialogs and menus handle their own keys.
      if (target?.closest('[role="dialog"], [role="alertdialog"], [role="menu"]')) return;
      const isCommand = event.ctrlKey || event.metaKey;
      if (event.key === "Enter" && isCommand) {
        event.preventDefault();
        if (!event.repeat) speak();
      } else if (event.key === "Escape") stop();
      else if (event.key === " " && !isCommand && !event.shiftKey && !target?.closest(TAKES_SPACE)) {
        event.preventDefault();
        if (!event.repeat) toggle();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [speak, stop, toggle]);
}
