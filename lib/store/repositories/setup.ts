import type { Setup } from "../../ports/store";
import { orConflict } from "../errors";
import type { Scope } from "../transaction-scope";

export function setupRepository(scope: Scope): Setup {
  const hasMark = async () =>
    (await scope.read.selectFrom("setup").select("id").executeTakeFirst()) !== undefined;
  const hasAdministrator = async () =>
    (await scope.read
      .selectFrom("users")
      .select("id")
      .where("role", "in", ["owner", "admin"])
      .limit(1)
      .executeTakeFirst()) !== undefined;

  return {
    // Also true when the singleton row was lost but an administrator exists, so that initial setup stays closed.
    isSetUp: async () => (await hasMark()) || (await hasAdministrator()),

    hasLostMark: async () => !(await hasMark()) && (await hasAdministrator()),

    recordOwner: (row) =>
      scope.write(async (db, touch) => {
        await orConflict(
          "This instance is set up already.",
          db.insertInto("setup").values({ id: 1, claimed_at: row.setUpAt, owner_id: row.ownerId }).execute(),
        );
        touch("setup");
      }),
  };
}
