import type { MouseEvent } from "react";

/** Focuses the page's content, so that the keyboard continues at its beginning, with the heading. */
export const focusContent = () => document.getElementById("content")?.focus({ preventScroll: true });

/**
 * As `keepFocus`, for a button below a list, which is removed once the list's last page is loaded. The focus then moves
 * to the last control above the button, from which Tab reaches the new rows.
 */
export function keepFocusAbove(button: HTMLElement): void {
  const controls = button.parentElement?.querySelectorAll<HTMLElement>("a[href], button:enabled") ?? [];
  keepFocus(
    button,
    [...controls].findLast((one) => one !== button && one.getClientRects().length > 0),
  );
}

/**
 * Moves the focus if the focused element is removed, as the row of a deleted item is: to `next`, by default to the
 * dialog that the element is in, or else to the page's content. A dialog that is removed with it returns the focus
 * itself.
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
