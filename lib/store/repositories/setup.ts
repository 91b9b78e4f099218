import type { Setup } from "../../ports/store";
import { orConflict } from "../errors";
import type { Scope } from "../scope";

export function setupRepository(scope: Scope): Setup {
  return {
    async isClaimed() {
      const claimed = await scope.read.selectFrom("setup").select("id").executeTakeFirst();
      if (claimed) return true;
      // The administrators' rows speak for themselves: a lost singleton never opens the door again.
      const administrator = await scope.read
        .selectFrom("users")
        .select("id")
        .where("role", "in", ["owner", "admin"])
        .limit(1)
        .executeTakeFirst();
      return administrator !== undefined;
    },

    claim: (row) =>
      scope.write(async (db, touch) => {
        await orConflict(
          "This instance is set up already.",
          db
            .insertInto("setup")
            .values({ id: 1, claimed_at: row.claimedAt, owner_id: row.ownerId })
            .execute(),
        );
        touch("setup");
      }),
  };
}
