/** The value of a theme variable at an element, for canvases, which do not resolve CSS variables. */
export function themeColor(element: Element, variable: `--${string}`): string {
  return getComputedStyle(element).getPropertyValue(variable).trim();
}

/** Calls `redraw` when the theme changes; returns a function that stops it. */
export function onThemeChange(redraw: () => void): () => void {
  const observer = new MutationObserver(redraw);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "style"] });
  return () => observer.disconnect();
}
