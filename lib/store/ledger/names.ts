import type { Kysely } from "kysely";
import type { UsageSubject } from "../../ports/store";
import { isPlaygroundId, PLAYGROUND_NAME } from "../../ports/store/api-keys";
import type { Tables } from "../schema";

const AT_ONCE = 500;

async function namesOfSome(
  db: Kysely<Tables>,
  kind: UsageSubject,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  switch (kind) {
    case "key":
      return db.selectFrom("keys").select(["id", "name"]).where("id", "in", ids).execute();
    case "channel":
      return db.selectFrom("channels").select(["id", "name"]).where("id", "in", ids).execute();
    case "user":
      return db.selectFrom("users").select(["id", "username as name"]).where("id", "in", ids).execute();
  }
}

/** Current names of the subjects of entries. Deleted ones are missing, except playground keys. */
export async function namesOf(
  db: Kysely<Tables>,
  kind: UsageSubject,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of kind === "key" ? ids : []) {
    if (isPlaygroundId(id)) names.set(id, PLAYGROUND_NAME);
  }
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    for (const { id, name } of await namesOfSome(db, kind, ids.slice(start, start + AT_ONCE)))
      names.set(id, name);
  }
  return names;
}
