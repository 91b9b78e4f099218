import { z } from "zod";
import { boundedLine } from "./text";

/** Default and largest number of rows per page. */
export const PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

/** The query parameter `limit`, decimal digits only: `z.coerce` would also accept `0x10`, `1e1` and ` 5`. */
export const limitUpTo = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "Must be a whole number.")
    .transform(Number)
    .pipe(z.int().min(1).max(max));
/** Rows per page. */
const Limit = limitUpTo(MAX_PAGE_SIZE);
const LIMIT_META = { type: "integer", minimum: 1, maximum: MAX_PAGE_SIZE } as const;

/** The query parameter `limit` of a list with `fallback` rows by default. */
export function limitWithDefault(fallback: number) {
  return Limit.default(fallback).meta({ ...LIMIT_META, default: fallback });
}

/** The position of the next page: `next_cursor` of the previous page. */
export const Cursor = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[A-Za-z0-9_-]+$/, "Must be next_cursor of the previous page.");

export const SearchText = boundedLine(2, 200);

/** Query of every list of the console. */
export const ListQuery = z.strictObject({
  limit: limitWithDefault(PAGE_SIZE),
  cursor: Cursor.optional(),
  q: SearchText.optional(),
});
export type ListQuery = z.output<typeof ListQuery>;

/** Query of a list with few items, which are one page unless `limit` or `cursor` is given. */
export const ShortListQuery = ListQuery.extend({
  limit: Limit.optional().meta({
    ...LIMIT_META,
    description: `Absent: all items; after a cursor ${PAGE_SIZE}`,
  }),
});
export type ShortListQuery = z.output<typeof ShortListQuery>;

/** `data` of every list of the console. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() });
}
export interface ListPage<Item> {
  items: Item[];
  next_cursor: string | null;
}
