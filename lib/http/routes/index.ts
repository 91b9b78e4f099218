import type { Route } from "../route";

/** The one route table: every address outside the pages. Each file of this folder adds its own array. */
export const ROUTES: readonly Route[] = [];
