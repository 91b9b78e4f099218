import type { Place } from "../contracts/store/test-database";

/** What the store holds, for comparing a schema with a whole one. */
export async function schemaOf(place: Place): Promise<string[]> {
  const rows = await place.raw(
    place.kind === "sqlite"
      ? "select type, name from sqlite_master where name not like 'sqlite_%'"
      : `select 'table', tablename from pg_tables where schemaname = 'public'
         union all select 'index', indexname from pg_indexes where schemaname = 'public'
         union all select 'trigger', tgname from pg_trigger where not tgisinternal`,
  );
  return rows.map(String).sort();
}
