import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { AppError } from "../errors";
import type { Page, PageQuery } from "../ports/store";
import type { Tables } from "./schema";

/** Most rows of a page, also for a caller that skips the contract's check. */
const MAX_PAGE_ROWS = 100;
const MIN_SEARCH_LENGTH = 2;

/** Where a page ended: the row's time, and its ID as a tie-breaker. */
interface Position {
  at: number;
  id: string | number;
}

/** A cursor for the rows after this position. */
export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.at, position.id])).toString("base64url");
}

type IdType = "string" | "number";

/** Throws AppError `invalid` for a cursor that is not of a list with IDs of this type. */
export function decodeCursor(cursor: string, idType: IdType = "string"): Position {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [at, id]: unknown[] = parsed;
      const isId = idType === "string" ? typeof id === "string" : Number.isSafeInteger(id);
      if (Number.isSafeInteger(at) && isId) {
        // Both are checked above; the checks do not narrow `unknown`.
        return { at: at as number, id: id as string | number };
      }
    }
  } catch {
    // Not JSON: the error below says so.
  }
  throw new AppError("invalid", "cursor: Must be next_cursor of the previous page.", {
    param: "cursor",
  });
}

/** The rows to read: the page, and one more that shows whether there is a next page. */
export function rowsToRead(query: PageQuery): number {
  return pageSize(query) + 1;
}

/** The limit of a query, clamped to 1–100. */
export function pageSize({ limit }: Pick<PageQuery, "limit">): number {
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_PAGE_ROWS);
}

/** The condition on `(age, id)` for rows after the cursor, newest first. */
export function olderThanCursor(
  cursor: string,
  age: string,
  id: string,
  idType?: IdType,
): RawBuilder<boolean> {
  const position = decodeCursor(cursor, idType);
  return sql<boolean>`(${sql.ref(age)}, ${sql.ref(id)}) < (${position.at}, ${position.id})`;
}

/** Drops the extra row and makes the cursor of the next page. */
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

/** One page of a list, newest first by the column `age`, then by ID. */
export async function newestFirst<
  Table extends keyof Tables,
  Age extends string,
  Row extends { id: string } & Record<Age, number>,
  T,
>(
  select: SelectQueryBuilder<Tables, Table, Row>,
  query: PageQuery,
  age: Age,
  toItem: (row: Row) => T,
): Promise<Page<T>> {
  const rest = query.cursor === null ? select : select.where(olderThanCursor(query.cursor, age, "id"));
  const rows = await rest
    .orderBy(sql.ref(age), "desc")
    .orderBy(sql.ref("id"), "desc")
    .limit(rowsToRead(query))
    .execute();
  return toPage(query, rows, (row) => ({ at: row[age], id: row.id }), toItem);
}

/**
 * The spellings of `text` to search for. SQLite's lower() changes ASCII letters only, so other letters are searched for
 * in lower case, in upper case and capitalised. ASCII text has one spelling.
 */
function spellings(text: string): string[] {
  if (/^\p{ASCII}*$/u.test(text)) return [text];
  // Names are stored in NFC, other texts as they were sent.
  const composed = text.normalize("NFC");
  const lower = composed.toLowerCase();
  const capitalised = (firstLetter: RegExp) => lower.replace(firstLetter, (letter) => letter.toUpperCase());
  // Capitalises the first letter, the first letter of each word, and the same without the first word, because `text`
  // may begin inside a word.
  const names = [/^\p{L}/u, /(?<!\p{L})\p{L}/gu, /(?<=\P{L})\p{L}/gu].map(capitalised);
  return [...new Set([text, composed, lower, composed.toUpperCase(), ...names])];
}

/**
 * Matches `q` anywhere in one of the columns, ignoring case; `%` and `_` are plain characters. On SQLite, a `q` with
 * letters outside ASCII matches only the spellings of `spellings`. Throws AppError `invalid` below two characters, and
 * for more than one line.
 */
export function matches(q: string, columns: readonly string[]): RawBuilder<boolean> {
  if ([...q].length < MIN_SEARCH_LENGTH) {
    throw new AppError("invalid", "q: Must have at least 2 characters.", { param: "q" });
  }
  if (q.includes("\n")) throw new AppError("invalid", "q: Must not contain line breaks.", { param: "q" });
  // The columns are joined into one text, a line each, so that lower() runs once: with PostgreSQL's collations it is
  // the largest cost of a search.
  const lines = columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
  const text = sql.join(lines, sql` || ${sql.lit("\n")} || `);
  const patterns = spellings(q).map((spelling) => `%${spelling.replace(/[\\%_]/g, "\\$&")}%`);
  const isLike = (lowered: RawBuilder<unknown>) =>
    sql.join(
      patterns.map((pattern) => sql`${lowered} like lower(${pattern}) escape '\\'`),
      sql` or `,
    );
  if (patterns.length === 1) return sql<boolean>`(${isLike(sql`lower(${text})`)})`;
  // `limit` keeps both databases from computing the text for each spelling.
  const once = sql`(select lower(${text}) as lowered limit 1) as texts`;
  return sql<boolean>`exists (select 1 from ${once} where ${isLike(sql.ref("lowered"))})`;
}
