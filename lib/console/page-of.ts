import { type ListPage, type ListQuery, PAGE_SIZE, type ShortListQuery } from "../contracts/paging";
import { AppError } from "../errors";
import type { PageQuery } from "../ports/store";

/** The query of a list as the store takes it. */
export function pageQuery({ limit, cursor, q }: ListQuery): PageQuery {
  return { limit, cursor: cursor ?? null, q: q ?? null };
}

/** Values by which a list is sorted, the most significant first; no two items have equal keys. */
type SortKey = readonly (string | number)[];

interface Listed<T> {
  sortKeyOf(item: T): SortKey;
  /** The types of the values of a sort key, for cursors. */
  sortKeyTypes: readonly ("string" | "number")[];
  /** The texts that `q` is searched in. */
  textsOf(item: T): readonly (string | null)[];
}

/** Negative when `a` is before `b`. Both have the same types. */
function compareKeys(a: SortKey, b: SortKey): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    const order = typeof one === "number" ? one - Number(other) : one.localeCompare(String(other), "en");
    if (order !== 0) return order;
  }
  return 0;
}

/** A cursor is the sort key of the last item of a page, so that it remains valid when items move or are deleted. */
function encodeCursor(key: SortKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

function isSortKey(value: unknown, types: Listed<unknown>["sortKeyTypes"]): value is SortKey {
  if (!Array.isArray(value) || value.length !== types.length) return false;
  return value.every((one, index) => typeof one === types[index]);
}

/** Throws `invalid` for a cursor that is not from a list with these sort keys. */
function decodeCursor(cursor: string, types: Listed<unknown>["sortKeyTypes"]): SortKey {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (isSortKey(parsed, types)) return parsed;
  } catch {
    // Not JSON: the error below says so.
  }
  const message = "Must be next_cursor of the previous page.";
  throw new AppError("invalid", `cursor: ${message}`, { issues: [{ path: "cursor", message }] });
}

/**
 * One page of a list that is in memory as a whole, filtered and sorted; all items when the query has neither `limit`
 * nor `cursor`. Throws `invalid` for a cursor of another list.
 */
export function pageOf<T>(
  all: readonly T[],
  { limit, cursor, q }: ShortListQuery,
  { sortKeyOf, sortKeyTypes, textsOf }: Listed<T>,
): ListPage<T> {
  const after = cursor === undefined ? null : decodeCursor(cursor, sortKeyTypes);
  const text = q?.toLowerCase();
  const rest = all
    .filter(
      (item) => text === undefined || textsOf(item).some((one) => one?.toLowerCase().includes(text) === true),
    )
    .map((item) => ({ item, key: sortKeyOf(item) }))
    .filter(({ key }) => after === null || compareKeys(key, after) > 0)
    .sort((a, b) => compareKeys(a.key, b.key));
  const size = limit ?? (after === null ? rest.length : PAGE_SIZE);
  const kept = rest.slice(0, size);
  const last = kept.at(-1);
  return {
    items: kept.map(({ item }) => item),
    next_cursor: rest.length > size && last !== undefined ? encodeCursor(last.key) : null,
  };
}
