import { z } from "zod";

/** Rows of a page, unless the query says otherwise. */
export const PAGE_SIZE = 50;

/** Query of every list of the console. */
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(PAGE_SIZE),
  cursor: z.string().min(1).max(512).optional(),
  q: z.string().min(2, "Search for two characters or more.").max(200).optional(),
});
export type ListQuery = z.output<typeof ListQuery>;

/** `data` of every list of the console. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() });
}
export interface ListPage<Item> {
  items: Item[];
  next_cursor: string | null;
}
