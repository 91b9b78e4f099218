"use client";

import { useEffect, useRef } from "react";

/** How long after `g` the letter of a page may follow, in milliseconds. */
const SEQUENCE_MS = 1_500;
const TAKES_TEXT = 'textarea, select, [contenteditable], [role="combobox"], input:not([type="checkbox"])';
const OWN_KEYS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

interface ShellKeys {
  togglePalette(): void;
  showShortcuts(): void;
  /** `letter`: the key pressed after `g`; returns false when no page has it. */
  goTo(letter: string): boolean;
}

/**
 * The console's keys: Ctrl- or Cmd-K toggles the palette; `?` lists the shortcuts and `g` with a letter opens a page,
 * unless the focused element takes text or is in a dialog or menu, which handle their own keys.
 */
export function useShellKeys(keys: ShellKeys): void {
  const sequenceEnds = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && event.key.toLowerCase() === "k") {
        event.preventDefault();
        keys.togglePalette();
        return;
      }
      const target = event.target instanceof Element ? event.target : null;
      if (isCommand || event.repeat || target?.closest(`${TAKES_TEXT}, ${OWN_KEYS}`)) return;
      const isSecond = event.timeStamp < sequenceEnds.current;
      sequenceEnds.current = 0;
      if (isSecond && keys.goTo(event.key)) event.preventDefault();
      else if (event.key === "g") sequenceEnds.current = event.timeStamp + SEQUENCE_MS;
      else if (event.key === "?") {
        event.preventDefault();
        keys.showShortcuts();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}
