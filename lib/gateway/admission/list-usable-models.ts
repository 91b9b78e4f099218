import { AppError } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import type { GatewayContext } from "../context";
import { isModelName, mayUseModel } from "./resolve-model";

/** The models this key may use, by name. */
export async function listUsableModels(ctx: GatewayContext): Promise<CatalogEntry[]> {
  const entries = await ctx.services.catalog.all();
  return entries.filter(({ model }) => mayUseModel(ctx.caller.key, model));
}

/**
 * One model this key may use, by name or alias. Throws `invalid` (not a model name) or `model_not_found`, also for a
 * model that the key may not use, as lists omit it too.
 */
export async function getUsableModel(ctx: GatewayContext, name: string): Promise<CatalogEntry> {
  if (!isModelName(name)) throw new AppError("invalid", `'${name}' is not a model name.`, { param: "model" });
  const entry = await ctx.services.catalog.find(name);
  if (entry === null || !mayUseModel(ctx.caller.key, entry.model)) {
    throw new AppError("model_not_found", `The model '${name}' does not exist.`, { param: "model" });
  }
  return entry;
}
