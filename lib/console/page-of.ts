import { type ListPage, PAGE_SIZE, type ShortListQuery } from "../contracts/paging";
import { AppError } from "../errors";

interface Listed<T> {
  idOf(item: T): string;
  /** The texts that `q` is searched in. */
  textsOf(item: T): readonly (string | null)[];
}

/** Where a page ended: the index of its last item, and its ID for a list that has changed since. */
type Position = [index: number, id: string];

function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Throws `invalid` for a cursor that is not one of ours. */
function decodeCursor(cursor: string): Position {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [index, id]: unknown[] = parsed;
      if (typeof index === "number" && Number.isSafeInteger(index) && index >= 0 && typeof id === "string")
        return [index, id];
    }
  } catch {
    // Not JSON: the error below says so.
  }
  const message = "Must be next_cursor of the previous page.";
  throw new AppError("invalid", `cursor: ${message}`, {
    param: "cursor",
    issues: [{ path: "cursor", message }],
  });
}

/** One page of a list that is in memory as a whole; everything when the query names neither page nor size. */
export function pageOf<T>(
  all: readonly T[],
  { limit, cursor, q }: ShortListQuery,
  { idOf, textsOf }: Listed<T>,
): ListPage<T> {
  const size = limit ?? (cursor === undefined ? all.length : PAGE_SIZE);
  let start = 0;
  if (cursor !== undefined) {
    const [index, id] = decodeCursor(cursor);
    const found = all.findIndex((item) => idOf(item) === id);
    // The item that followed a deleted one has its index.
    start = found === -1 ? index : found + 1;
  }
  const text = q?.toLowerCase();
  const rest = all.flatMap((item, index) => {
    const isMatch =
      text === undefined || textsOf(item).some((one) => one?.toLowerCase().includes(text) === true);
    return index >= start && isMatch ? [{ item, index }] : [];
  });
  const kept = rest.slice(0, size);
  const last = kept.at(-1);
  return {
    items: kept.map(({ item }) => item),
    next_cursor:
      rest.length > size && last !== undefined ? encodeCursor([last.index, idOf(last.item)]) : null,
  };
}
