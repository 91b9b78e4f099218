import type { Settings } from "../../ports/store";
import { fromJson, json } from "../columns";
import type { Scope } from "../transaction-scope";

export function settingsRepository(scope: Scope): Settings {
  return {
    async all() {
      const rows = await scope.read.selectFrom("settings").selectAll().orderBy("name").execute();
      return Object.fromEntries(rows.map((row) => [row.name, fromJson<unknown>(row.value)]));
    },

    put: (name, value) =>
      scope.write(async (db, touch) => {
        const text = json(value ?? null);
        await db
          .insertInto("settings")
          .values({ name, value: text })
          .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: text }))
          .execute();
        touch("settings");
      }),
  };
}
