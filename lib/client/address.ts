/** Puts a choice into the page's address, so that it can be linked to; null takes it out. */
export function putInAddress(name: string, value: string | null): void {
  const query = new URLSearchParams(window.location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  window.history.replaceState(null, "", query.size > 0 ? `?${query}` : window.location.pathname);
}
