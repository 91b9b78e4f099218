import type { Kysely } from "kysely";
import type { Tables } from "../schema";

async function dropPrompts(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const old = db.selectFrom("prompts").select("usage_id").where("at", "<", before).orderBy("at").limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("prompts")
    .where("usage_id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function dropRows(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom("usage")
    .select("id")
    .where("at", "<", before)
    .where("state", "=", "settled")
    .orderBy("at")
    .orderBy("id")
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map((row) => row.id);
  await db.deleteFrom("prompts").where("usage_id", "in", ids).execute();
  await db.deleteFrom("usage").where("id", "in", ids).execute();
  return ids.length;
}

/** Removes at most `limit` entries (or prompts) older than `before`, oldest first; open entries stay at any age. */
export function sweep(
  db: Kysely<Tables>,
  what: "rows" | "prompts",
  before: number,
  limit: number,
): Promise<number> {
  return what === "rows" ? dropRows(db, before, limit) : dropPrompts(db, before, limit);
}
