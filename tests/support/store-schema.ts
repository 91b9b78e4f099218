import type { TestDatabase } from "../contracts/store/test-database";

/** The tables, indexes and triggers of a store, for comparing schemas. */
export async function schemaOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.raw(
    database.kind === "sqlite"
      ? "select type, name from sqlite_master where name not like 'sqlite_%'"
      : `select 'table', tablename from pg_tables where schemaname = 'public'
         union all select 'index', indexname from pg_indexes where schemaname = 'public'
         union all select 'trigger', tgname from pg_trigger where not tgisinternal`,
  );
  return rows.map(String).sort();
}
