import type { UsageRow } from "../contracts/console/usage";
import type { Range, Span } from "./range";

/** What calls are narrowed by; the names are the same in the page's address and in the interface. */
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
] as const;
export type CallFilter = (typeof CALL_FILTERS)[number];
export type CallFilters = Partial<Record<CallFilter, string>>;

/** The filters that an address holds. */
export function readCallFilters(address: { get(name: string): string | null }): CallFilters {
  const filters: CallFilters = {};
  for (const name of CALL_FILTERS) {
    const value = address.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

function times({ from, to }: Partial<Span>): [string, string][] {
  const told: [string, string][] = [];
  if (from !== undefined) told.push(["from", new Date(from).toISOString()]);
  if (to !== undefined) told.push(["to", new Date(to).toISOString()]);
  return told;
}

/** Path of the list of calls. A range that ends now has no end: what comes in belongs to it. */
export function callsPath(filters: CallFilters, range: Range): string {
  const span = range.name === "custom" ? range : { from: range.from };
  return `/api/usage?${new URLSearchParams([...times(span), ...Object.entries(filters)])}`;
}

/** Path of the same calls as a CSV file. */
export function exportPath(filters: CallFilters, range: Range): string {
  return `/api/usage/export?${new URLSearchParams([...times(range), ...Object.entries(filters)])}`;
}

/** Path of the sums of calls: over time, or by a dimension. */
export function sumsPath(
  filters: CallFilters,
  range: Range,
  how: { interval: Range["interval"] } | { by: string },
): string {
  const query = new URLSearchParams([...times(range), ...Object.entries(filters), ...Object.entries(how)]);
  return `/api/usage/summary?${query}`;
}

/** An address of a page of calls with one filter more; the rest of the present address stays. */
export function withFilter(address: URLSearchParams, name: CallFilter, value: string): string {
  const query = new URLSearchParams(address);
  query.set(name, value);
  query.delete("call");
  return `?${query}`;
}

const isNewer = (a: UsageRow, b: UsageRow): boolean => (a.at === b.at ? a.id > b.id : a.at > b.at);

/**
 * The newest page over what was read before: newest first, each call once and as it was told last. `isWhole`: there
 * are no others. `hasGap`: between the two there may be calls that neither holds, so they must not stand in one list.
 */
export function mergeNewest(
  newest: readonly UsageRow[],
  before: readonly UsageRow[],
  isWhole: boolean,
): { rows: UsageRow[]; hasGap: boolean } {
  const oldest = newest.at(-1);
  if (isWhole || oldest === undefined || before.length === 0) return { rows: [...newest], hasGap: false };
  const ids = new Set(newest.map((row) => row.id));
  if (!before.some((row) => ids.has(row.id))) return { rows: [...newest], hasGap: true };
  // What the newest page should hold and does not has gone.
  const older = before.filter((row) => !ids.has(row.id) && isNewer(oldest, row));
  return { rows: [...newest, ...older], hasGap: false };
}
