import { type Range, rangeQuery } from "./range";

/**
 * Data of the previous range stays until the new data is loaded. The range moves on without any event, and the events of
 * other instances may be lost, so the page polls as well.
 */
export const OVERVIEW_OPTIONS = { keepPreviousData: true, refreshInterval: 30_000 };

export const overviewQuery = (range: Range) => ({ ...rangeQuery(range), interval: range.interval });

/** Cookie of a browser in which the checklist of first steps was dismissed. */
export const STEPS_COOKIE = "patchbay-first-steps";
const YEAR_S = 365 * 24 * 3600;

/** Hides the checklist of first steps in this browser. */
export function dismissSteps(): void {
  // The Cookie Store API is not available over plain HTTP.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${STEPS_COOKIE}=dismissed; path=/; max-age=${YEAR_S}; samesite=lax`;
}
