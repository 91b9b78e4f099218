import type { RejectionQuery } from "../contracts/console/rejections";
import type { UsageFilters, UsageRow } from "../contracts/console/usage";
import { searchText } from "./query-params";
import { RANGES, type Range, rangeQuery } from "./range";

/** How many items of a summary are requested: the largest ones, up to the API's maximum. */
export const MAX_ITEMS = 1_000;

/** Filters for calls; the URL of the page and the API use the same names. */
export const CALL_FILTERS = [
  "model",
  "status",
  "channel_id",
  "key_id",
  "user_id",
  "operation",
  "tag",
  "end_user",
  "request_id",
  "q",
] as const;
export type CallFilter = (typeof CALL_FILTERS)[number];
export type CallFilters = Pick<UsageFilters, CallFilter>;

/** Reads the filters from a URL's query. */
export function readCallFilters(query: { get(name: string): string | null }): CallFilters {
  const filters: Partial<Record<CallFilter, string>> = {};
  for (const name of CALL_FILTERS) {
    const text = query.get(name) ?? "";
    const value = name === "q" ? searchText(text) : text;
    if (value) filters[name] = value;
  }
  // Type assertion: the server refuses an unknown operation.
  return filters as CallFilters;
}

/** Query of the list of calls. A range that ends now has no `to`, so that new calls are included. */
export function callsQuery(filters: CallFilters, range: Range): UsageFilters {
  const { from, to } = rangeQuery(range);
  return { from, ...(range.name === "custom" ? { to } : {}), ...filters };
}

/** `status` of the page's URL that lists rejected requests (refused before a channel was called) instead of calls. */
export const REJECTED = "rejected";

/** Query of the rejected requests of a range; null when a filter is about a field that they do not have. */
export function rejectionsQuery(
  filters: CallFilters,
  range: Range,
): Omit<RejectionQuery, "limit" | "cursor"> | null {
  const { status: _rejected, channel_id, operation, tag, end_user, ...own } = callsQuery(filters, range);
  return [channel_id, operation, tag, end_user].some((value) => value !== undefined) ? null : own;
}

/**
 * URL of the page where this user reads calls: those of a range, or of a range that ends now and contains `since` (RFC
 * 3339).
 */
export function callsHref(
  isAdmin: boolean,
  range: Range | { since: string },
  filters: CallFilters = {},
): string {
  const query = new URLSearchParams(filters);
  if ("since" in range) {
    const ageMs = Date.now() - Date.parse(range.since);
    query.set("range", ageMs < RANGES["24h"] ? "24h" : ageMs < RANGES["7d"] ? "7d" : "30d");
  } else if (range.name === "custom") {
    for (const [name, value] of Object.entries(rangeQuery(range))) query.set(name, value);
  } else query.set("range", range.name);
  return `${isAdmin ? "/logs" : "/usage"}?${query}`;
}

/** As `callsHref`, for the page that lists rejected requests. */
export const rejectionsHref = (
  isAdmin: boolean,
  range: Range | { since: string },
  filters: CallFilters = {},
): string => callsHref(isAdmin, range, { ...filters, status: REJECTED });

/** The current query with one more filter and without an open call. */
export function withFilter(current: URLSearchParams, name: CallFilter, value: string): string {
  const query = new URLSearchParams(current);
  query.set(name, value);
  query.delete("call");
  return `?${query}`;
}

const isNewer = (a: UsageRow, b: UsageRow): boolean => (a.at === b.at ? a.id > b.id : a.at > b.at);

/**
 * Merges the newest page into the rows loaded before: newest first, each call once, in its latest state. `isComplete`:
 * the page has all calls; `searchedFrom`: it has all calls since this time. `hasGap`: calls between the two may be
 * missing, so `rows` is the newest page only.
 */
export function mergeNewest(
  newest: readonly UsageRow[],
  loaded: readonly UsageRow[],
  isComplete: boolean,
  searchedFrom: string | null = null,
): { rows: UsageRow[]; hasGap: boolean } {
  if (searchedFrom !== null && !isComplete) {
    const older = loaded.filter((row) => row.at < searchedFrom);
    return { rows: [...newest, ...older], hasGap: false };
  }
  const oldest = newest.at(-1);
  if (isComplete || oldest === undefined || loaded.length === 0) return { rows: [...newest], hasGap: false };
  const ids = new Set(newest.map((row) => row.id));
  if (!loaded.some((row) => ids.has(row.id))) return { rows: [...newest], hasGap: true };
  // A loaded row that is newer than the oldest row of the newest page, but is not on that page, no longer exists.
  const older = loaded.filter((row) => !ids.has(row.id) && isNewer(oldest, row));
  return { rows: [...newest, ...older], hasGap: false };
}
