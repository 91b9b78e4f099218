import type { Kysely } from "kysely";
import type { ModelRecord, Models, Prices } from "../../ports/store";
import { flag, fromJson, json } from "../columns";
import { orConflict } from "../errors";
import type { ModelTable, Tables } from "../schema";
import type { Scope } from "../transactions";
import { countDeleted, insertBatches } from "./statements";

const TAKEN = "Another model already has this name or alias.";

function columns(model: ModelRecord): ModelTable;
function columns(model: Partial<ModelRecord>): Partial<ModelTable>;
function columns(model: Partial<ModelRecord>): Partial<ModelTable> {
  return {
    name: model.name,
    aliases: json(model.aliases),
    operation: model.operation,
    description: model.description,
    prices: json(model.prices),
    max_characters: model.maxCharacters,
    max_audio_seconds: model.maxAudioSeconds,
    dimensions: model.dimensions,
    can_shorten: flag(model.canShorten),
    max_input_tokens: model.maxInputTokens,
    default_voice: model.defaultVoice,
    cacheable: flag(model.cacheable),
    coalescing: flag(model.batching),
    enabled: flag(model.enabled),
    created_at: model.createdAt,
    version: model.version,
  };
}

function toModel(row: ModelTable): ModelRecord {
  return {
    name: row.name,
    aliases: fromJson<string[]>(row.aliases),
    operation: row.operation === "embeddings" ? "embeddings" : "speech",
    description: row.description,
    prices: fromJson<Prices>(row.prices),
    maxCharacters: row.max_characters,
    maxAudioSeconds: row.max_audio_seconds,
    dimensions: row.dimensions,
    canShorten: row.can_shorten === 1,
    maxInputTokens: row.max_input_tokens,
    defaultVoice: row.default_voice,
    cacheable: row.cacheable === 1,
    batching: row.coalescing === 1,
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    version: row.version,
  };
}

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
        for (const some of insertBatches(models.map((one) => columns(one))))
          await orConflict(TAKEN, db.insertInto("models").values(some).execute());
        if (models.length > 0) touch("models");
      }),

    async all() {
      const rows = await scope.read
        .selectFrom("models")
        .selectAll()
        .orderBy("created_at")
        .orderBy("name")
        .execute();
      return rows.map(toModel);
    },

    update: (name, version, patch) =>
      scope.write(async (db, touch) => {
        const row = await orConflict(
          TAKEN,
          db
            .updateTable("models")
            .set({ ...columns(patch), version: version + 1 })
            .where("name", "=", name)
            .where("version", "=", version)
            .returningAll()
            .executeTakeFirst(),
        );
        if (!row) return null;
        const model = toModel(row);
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
