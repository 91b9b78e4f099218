import type { Settings, Setup } from "../../ports/store";
import { fromJson } from "../columns";
import { orConflict } from "../errors";
import type { Scope } from "../transactions";

export function readSettings(db: Scope["read"]): Pick<Settings, "all"> {
  return {
    async all() {
      const rows = await db.selectFrom("settings").selectAll().orderBy("name").execute();
      return Object.fromEntries(rows.map((row) => [row.name, fromJson<unknown>(row.value)]));
    },
  };
}

export function settingsRepository(scope: Scope): Settings {
  return {
    ...readSettings(scope.read),

    put: (name, value) =>
      scope.write(async (db, touch) => {
        const text = JSON.stringify(value ?? null);
        await db
          .insertInto("settings")
          .values({ name, value: text })
          .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: text }))
          .execute();
        touch("settings");
      }),
  };
}

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

    isSetupRowMissing: async () => !(await hasMark()) && (await hasAdministrator()),

    recordOwner: (row) =>
      scope.write(async (db, touch) => {
        await orConflict(
          "This instance is already set up.",
          db.insertInto("setup").values({ id: 1, claimed_at: row.setUpAt, owner_id: row.ownerId }).execute(),
        );
        touch("setup");
      }),
  };
}
