import { MODEL_NAME, MODEL_NAME_RULE } from "../../contracts/console/model-name";
import { AppError } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import type { KeyRecord, ModelRecord } from "../../ports/store";
import type { GatewayContext } from "../context";
import { answersTo } from "./catalog";

const PURPOSE = {
  speech: "speech; call :generateContent or /v1/audio/speech",
  embeddings: "embeddings; call /v1/embeddings or :embedContent",
} as const;

export function isModelName(name: string): boolean {
  return MODEL_NAME.test(name);
}

/** True when the key may use the model: by its operations, and by the names it lists (an empty list: every model). */
export function mayUseModel(key: KeyRecord, model: ModelRecord): boolean {
  if (!key.operations.includes(model.operation)) return false;
  return isListed(key, model);
}

function isListed(key: KeyRecord, model: ModelRecord): boolean {
  return key.allowedModels.length === 0 || key.allowedModels.some((name) => answersTo(model, name));
}

/**
 * Finds a model and checks the key's permission for it. `operation`: what the model must be for; null: either. Throws
 * `model_not_found`, `model_not_allowed`, `forbidden`, `invalid` (not a model name, or a model of the other operation).
 */
export async function resolveModel(
  ctx: GatewayContext,
  name: string,
  operation: "speech" | "embeddings" | null,
): Promise<CatalogEntry> {
  if (!isModelName(name)) {
    throw new AppError("invalid", `'model' must be a model name: ${MODEL_NAME_RULE}`, { param: "model" });
  }
  const entry = await ctx.services.catalog.find(name);
  if (entry === null) {
    throw new AppError(
      "model_not_found",
      `The model '${name}' does not exist. GET /v1/models lists the available models.`,
      {
        param: "model",
      },
    );
  }
  const { key } = ctx.caller;
  if (!isListed(key, entry.model)) {
    throw new AppError("model_not_allowed", `This key may not use the model '${name}'.`, { param: "model" });
  }
  if (operation !== null && entry.model.operation !== operation) {
    throw new AppError("invalid", `The model '${name}' is for ${PURPOSE[entry.model.operation]}.`, {
      param: "model",
    });
  }
  if (!key.operations.includes(entry.model.operation)) {
    throw new AppError("forbidden", `This key may not be used for ${entry.model.operation}.`);
  }
  return entry;
}

/** The models this key may use, by name. */
export async function listUsableModels(ctx: GatewayContext): Promise<CatalogEntry[]> {
  const entries = await ctx.services.catalog.all();
  return entries.filter(({ model }) => mayUseModel(ctx.caller.key, model));
}

/**
 * One model this key may use, by name or alias. Throws `invalid` (not a model name) or `model_not_found`, also for a
 * model that the key may not use, which lists omit too.
 */
export async function getUsableModel(ctx: GatewayContext, name: string): Promise<CatalogEntry> {
  if (!isModelName(name))
    throw new AppError("invalid", `'${name}' is not a valid model name: ${MODEL_NAME_RULE}`, {
      param: "model",
    });
  const entry = await ctx.services.catalog.find(name);
  if (entry === null || !mayUseModel(ctx.caller.key, entry.model)) {
    throw new AppError("model_not_found", `The model '${name}' does not exist.`, { param: "model" });
  }
  return entry;
}
