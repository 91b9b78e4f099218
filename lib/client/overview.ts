import { type Range, rangeQuery } from "./range";
import { setCookie } from "./set-cookie";

/**
 * Data of the previous range stays until the new data is loaded. The range moves on without any event, and the events of
 * other instances may be lost, so the page polls as well.
 */
export const OVERVIEW_OPTIONS = { keepPreviousData: true, refreshInterval: 30_000 };

export const overviewQuery = (range: Range) => ({ ...rangeQuery(range), interval: range.interval });

/** Cookie of a browser in which the checklist of first steps was dismissed. */
export const STEPS_COOKIE = "patchbay-first-steps";

/** Hides the checklist of first steps in this browser. */
export const dismissSteps = (): void => setCookie(STEPS_COOKIE, "dismissed");
