/** The value that a variable of the theme has at this element, for canvases, which know no variables. */
export function themeColor(element: Element, variable: `--${string}`): string {
  return getComputedStyle(element).getPropertyValue(variable).trim();
}

/** Calls `redraw` when the theme changes; returns what ends that. */
export function onThemeChange(redraw: () => void): () => void {
  const observer = new MutationObserver(redraw);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "style"] });
  return () => observer.disconnect();
}
