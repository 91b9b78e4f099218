import { withQuery } from "../contracts/with-query";

/** Sets a query parameter of the page's URL without a new history entry; null removes it. The fragment is removed. */
export function setQueryParam(name: string, value: string | null): void {
  replaceUrl(urlWith({ [name]: value }));
}

/** Sets the fragment of the page's URL, empty for none, without a new history entry, and reports its change. */
export function setFragment(fragment: string): void {
  if (window.location.hash.slice(1) === fragment) return;
  replaceUrl(urlWith({}) + (fragment === "" ? "" : `#${fragment}`));
}

/** Replaces the page's URL; the browser itself reports no change of the fragment that a script makes. */
function replaceUrl(url: string): void {
  const { hash } = window.location;
  window.history.replaceState(null, "", url);
  if (window.location.hash !== hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/**
 * Sets query parameters in a new history entry, which Back undoes: for filters that are picked, not typed. Returns false
 * when the URL has them already.
 */
export function pushQueryParams(params: Readonly<Record<string, string | null>>): boolean {
  const next = urlWith(params);
  if (next === urlWith({})) return false;
  window.history.pushState(null, "", next);
  return true;
}

function urlWith(params: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(params)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  return withQuery(window.location.pathname, query);
}

/** A search text as lists accept it; null: too short. Counted in code points, as the server does. */
export function searchText(q: string): string | null {
  const text = q.trim();
  return [...text].length >= 2 ? text : null;
}
