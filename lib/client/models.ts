import useSWR from "swr";
import type { RoutePreview } from "../contracts/console/routing";
import type { Model } from "../contracts/gateway/models";

export const MODELS = "/api/models";
/** Circuits open, limits fill and calls finish without anybody's doing. */
const REFRESH_MS = 3_000;

export const modelPath = (name: string): string => `${MODELS}/${encodeURIComponent(name)}`;

/** Where a call for the model would go, read every few seconds while it is shown. */
export function useRoute(name: string) {
  return useSWR<RoutePreview>(`${modelPath(name)}/route`, { refreshInterval: REFRESH_MS });
}

/** Models whose name or an alias holds the text, of one operation or all. */
export function filterModels(models: readonly Model[], q: string, operation: string): Model[] {
  const text = q.trim().toLowerCase();
  return models.filter(
    (model) =>
      (operation === "" || model.operation === operation) &&
      [model.name, ...model.aliases].some((name) => name.toLowerCase().includes(text)),
  );
}
