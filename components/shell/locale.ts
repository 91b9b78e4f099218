import { LOCALE_COOKIE, type Locale } from "../../lib/messages/locale";

const YEAR_S = 365 * 24 * 3600;

/** Keeps the language in this browser; the next page the server renders speaks it. */
export function rememberLocale(locale: Locale): void {
  // The Cookie Store interface is missing over plain http.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${LOCALE_COOKIE}=${locale}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
