import type { ApiKey } from "@/lib/contracts/console/api-keys";

/** A model as the key forms need it. */
export interface KeyModel {
  name: string;
  aliases: readonly string[];
  operation: "speech" | "embeddings";
}

/**
 * URL of the playground with the first model that a key may use; null if it may use none. The playground calls with a
 * temporary key of its own, because the key's secret is not stored.
 */
export function playgroundHref(
  { operations, allowed_models }: Pick<ApiKey, "operations" | "allowed_models">,
  models: readonly KeyModel[],
): string | null {
  const mayUse = ({ name, aliases }: KeyModel) =>
    [name, ...aliases].some((one) => allowed_models.includes(one));
  for (const operation of ["speech", "embeddings"] as const) {
    if (!operations.includes(operation)) continue;
    // Without a limit the playground chooses: a model in use, else a healthy one.
    if (allowed_models.length === 0) return `/playground/${operation}`;
    const model = models.find((one) => one.operation === operation && mayUse(one));
    if (model) return `/playground/${operation}#model=${encodeURIComponent(model.name)}`;
  }
  return null;
}
