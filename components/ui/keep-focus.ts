import type { MouseEvent } from "react";

/** Lets the keyboard continue in the page's content, whose first elements are its heading's. */
export const focusContent = () => document.getElementById("content")?.focus({ preventScroll: true });

/** The same as `keepFocus` for a button below a list, which goes with the list's last page: Tab then reaches the new rows. */
export function keepFocusAbove(button: HTMLElement): void {
  const controls = button.parentElement?.querySelectorAll<HTMLElement>("a[href], button:enabled") ?? [];
  keepFocus(
    button,
    [...controls].findLast((one) => one !== button && one.getClientRects().length > 0),
  );
}

/**
 * Moves the focus if the focused element is removed, as the row of a deleted item is: to `next`, by default to the
 * content, or to the dialog that the element is in. A dialog that is removed with it returns the focus itself.
 */
export function keepFocus(target: HTMLElement, next?: HTMLElement | null): void {
  const dialog = target.closest<HTMLElement>("[role$=dialog]");
  const observer = new MutationObserver(() => {
    const { activeElement, body } = document;
    if (activeElement === target) return;
    observer.disconnect();
    if (activeElement !== body || target.isConnected) return;
    // Does nothing for a dialog that was removed.
    const other = next ?? dialog;
    if (other) other.focus();
    else focusContent();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

/** The click handler of a button that its own action may remove: the focus then moves as `keepFocus` says. */
export const keepingFocus = (act: () => void) => (event: MouseEvent<HTMLElement>) => {
  keepFocus(event.currentTarget);
  act();
};
