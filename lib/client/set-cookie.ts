const YEAR_S = 365 * 24 * 3600;

/** Sets a cookie of this browser for a year. */
export function setCookie(name: string, value: string): void {
  // The Cookie Store API is not available over plain HTTP.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
