import type { Kysely } from "kysely";
import type { ModelRecord, Models } from "../../ports/store";
import { orConflict } from "../errors";
import type { Tables } from "../schema";
import { MODEL } from "../schema/catalogue";
import type { Scope } from "../transactions";
import { countDeleted, insertBatches } from "./statements";

const TAKEN = "Another model already has this name or alias.";

function nameRows({ name: model, aliases }: Pick<ModelRecord, "name" | "aliases">) {
  return [...new Set([model, ...aliases])].map((name) => ({ name, model }));
}

async function insertNames(db: Kysely<Tables>, models: readonly ModelRecord[]): Promise<void> {
  for (const rows of insertBatches(models.flatMap(nameRows)))
    await orConflict(TAKEN, db.insertInto("model_names").values(rows).execute());
}

export function modelsRepository(scope: Scope): Models {
  return {
    insert: (...models) =>
      scope.write(async (db, touch) => {
        await insertNames(db, models);
        for (const some of insertBatches(models))
          await orConflict(
            TAKEN,
            db
              .insertInto("models")
              .values(some.map((one) => MODEL.toRow(one)))
              .execute(),
          );
        if (models.length > 0) touch("models");
      }),

    all: scope.cacheUntilTouched("models", async () => {
      const rows = await scope.read
        .selectFrom("models")
        .selectAll()
        .orderBy("created_at")
        .orderBy("name")
        .execute();
      return rows.map((row) => MODEL.toRecord(row));
    }),

    update: (name, version, patch) =>
      scope.write(async (db, touch) => {
        const row = await orConflict(
          TAKEN,
          db
            .updateTable("models")
            .set({ ...MODEL.toRow(patch), version: version + 1 })
            .where("name", "=", name)
            .where("version", "=", version)
            .returningAll()
            .executeTakeFirst(),
        );
        if (!row) return null;
        const model = MODEL.toRecord(row);
        await db.deleteFrom("model_names").where("model", "=", name).execute();
        await insertNames(db, [model]);
        touch("models");
        return model;
      }),

    delete: (name) =>
      scope.write(async (db, touch) => {
        await db.deleteFrom("model_names").where("model", "=", name).execute();
        const isDeleted = (await countDeleted(db.deleteFrom("models").where("name", "=", name))) > 0;
        if (isDeleted) touch("models");
        return isDeleted;
      }),
  };
}
