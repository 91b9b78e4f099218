"use client";

import { useRef } from "react";

interface FocusHandlers {
  onOpenAutoFocus?(event: Event): void;
  onCloseAutoFocus?(event: Event): void;
}

/**
 * Gives the focus back to whatever had it when a dialog opened. Radix does so only for dialogs with a trigger of their
 * own; ours are opened by menus, addresses and keys. Pass on what it returns to the dialog's content.
 */
export function useOpenerFocus({
  onOpenAutoFocus,
  onCloseAutoFocus,
}: FocusHandlers): Required<FocusHandlers> {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus(event) {
      opener.current = document.activeElement;
      onOpenAutoFocus?.(event);
    },
    onCloseAutoFocus(event) {
      onCloseAutoFocus?.(event);
      const target = opener.current;
      if (event.defaultPrevented || !(target instanceof HTMLElement) || !target.isConnected) return;
      event.preventDefault();
      target.focus();
    },
  };
}
