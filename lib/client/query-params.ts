/** Puts a choice into the page's address, so that it can be linked to; null takes it out. */
export function setQueryParam(name: string, value: string | null): void {
  window.history.replaceState(null, "", urlWith({ [name]: value }));
}

/** The same as a step of its own, which the browser's Back undoes: for filters that are picked, not typed. */
export function pushQueryParams(choices: Readonly<Record<string, string | null>>): void {
  const next = urlWith(choices);
  if (next !== urlWith({})) window.history.pushState(null, "", next);
}

function urlWith(choices: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(choices)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  return query.size > 0 ? `?${query}` : window.location.pathname;
}
