import type { DeleteResult, Kysely, UpdateResult } from "kysely";
import type { Topic } from "../../ports/store";
import type { Tables } from "../schema";
import type { Scope } from "../transactions";

interface Returning<Row> {
  executeTakeFirst(): Promise<Row | undefined>;
}

/** The first row as a record; null without a row. */
export async function findOne<Row, T>(query: Returning<Row>, toRecord: (row: Row) => T): Promise<T | null> {
  const row = await query.executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

/** Changes one row, which the statement returns, and touches `topic`; null when there is no such row. */
export function changeOne<Row, T>(
  scope: Scope,
  topic: Topic,
  toRecord: (row: Row) => T,
  statement: (db: Kysely<Tables>) => Returning<Row>,
): Promise<T | null> {
  return scope.write(async (db, touch) => {
    const changed = await findOne(statement(db), toRecord);
    if (changed !== null) touch(topic);
    return changed;
  });
}

/** Rows per INSERT: with 20 columns they stay below SQLite's limit of 32,766 parameters. */
const INSERTED_ROWS = 500;

/** The records in batches that one INSERT takes. */
export function* insertBatches<T>(records: readonly T[]): Generator<T[]> {
  for (let start = 0; start < records.length; start += INSERTED_ROWS)
    yield records.slice(start, start + INSERTED_ROWS);
}

/** True when the statement updated a row. */
export async function hasUpdated(statement: {
  executeTakeFirstOrThrow(): Promise<UpdateResult>;
}): Promise<boolean> {
  return (await statement.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
}

/** Deletes rows; returns how many. */
export async function countDeleted(statement: {
  executeTakeFirstOrThrow(): Promise<DeleteResult>;
}): Promise<number> {
  return Number((await statement.executeTakeFirstOrThrow()).numDeletedRows);
}
