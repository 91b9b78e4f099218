/** Lets the keyboard continue in the page's content, whose first elements are its heading's. */
export const focusContent = () => document.getElementById("content")?.focus({ preventScroll: true });

/**
 * Moves the focus if the focused element is removed, as the row of a deleted item is: to `next`, by default to the
 * content.
 */
export function keepFocus(target: HTMLElement, next?: HTMLElement | null): void {
  const observer = new MutationObserver(() => {
    const { activeElement, body } = document;
    if (activeElement === target) return;
    observer.disconnect();
    if (activeElement !== body || target.isConnected) return;
    if (next) next.focus();
    else focusContent();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
