import { type RawBuilder, sql } from "kysely";
import { AppError } from "../errors";
import type { Page, PageQuery } from "../ports/store";

/** Rows of a page, whatever a query asks for: a caller that skips the contract's check gets no more either. */
const LARGEST_PAGE = 100;
const SHORTEST_SEARCH = 2;

/** Where a page ended: the row's age and its id, which breaks ties. */
export interface Position {
  at: number;
  id: string | number;
}

function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.at, position.id])).toString("base64url");
}

/** Throws AppError `invalid` for a cursor that none of our pages ended with. */
export function decodeCursor(cursor: string): Position {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [at, id]: unknown[] = parsed;
      if (Number.isSafeInteger(at) && (typeof id === "string" || Number.isSafeInteger(id))) {
        // Both were checked on the line above; the checks do not narrow `unknown` to them.
        return { at: at as number, id: id as string | number };
      }
    }
  } catch {
    // Told below, in the words of a wrong cursor.
  }
  throw new AppError("invalid", "The cursor is not one of ours; start again without one.", {
    param: "cursor",
  });
}

/** Rows to ask for: the page, and one more that tells whether there is another. */
export function rowsToRead(query: PageQuery): number {
  return pageSize(query) + 1;
}

/** The limit of a query, brought into 1–100. */
export function pageSize({ limit }: Pick<PageQuery, "limit">): number {
  return Math.min(Math.max(Math.trunc(limit), 1), LARGEST_PAGE);
}

/** Newest first: what lies behind the cursor, as a condition on `(age, id)`. */
export function behind(cursor: string, age: string, id: string): RawBuilder<boolean> {
  const position = decodeCursor(cursor);
  return sql<boolean>`(${sql.ref(age)}, ${sql.ref(id)}) < (${position.at}, ${position.id})`;
}

/** Cuts the extra row off and names the place to go on from. */
export function toPage<Row, T>(
  query: PageQuery,
  rows: readonly Row[],
  positionOf: (row: Row) => Position,
  toItem: (row: Row) => T,
): Page<T> {
  const size = pageSize(query);
  const kept = rows.slice(0, size);
  const last = kept.at(-1);
  return {
    items: kept.map(toItem),
    nextCursor: rows.length > size && last !== undefined ? encodeCursor(positionOf(last)) : null,
  };
}

/**
 * `q` anywhere in one of the columns, whatever its case (SQLite folds ASCII alone); `%` and `_` are plain characters.
 * Throws AppError `invalid` below two characters.
 */
export function matches(q: string, columns: readonly string[]): RawBuilder<boolean> {
  if ([...q].length < SHORTEST_SEARCH) {
    throw new AppError("invalid", "Search for two characters or more.", { param: "q" });
  }
  const pattern = `%${q.replace(/[\\%_]/g, "\\$&")}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}
