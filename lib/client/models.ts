import useSWR from "swr";
import type { RoutePreview } from "../contracts/console/routing";
import type { Model, ModelList } from "../contracts/gateway/models";

export const MODELS = "/api/models";
/** A route depends on circuits, limits and calls in flight. */
const REFRESH_MS = 3_000;

export const modelPath = (name: string): string => `${MODELS}/${encodeURIComponent(name)}`;

/** SWR `fallback` for `useModels`. */
export const modelsFallback = (models: ModelList): Record<string, unknown> => ({ [MODELS]: models });

/** All models with the channels that serve them. */
export function useModels() {
  return useSWR<ModelList>(MODELS);
}

/** Where a call for the model would be routed now; polled while shown. */
export function useRoute(name: string) {
  return useSWR<RoutePreview>(`${modelPath(name)}/route`, { refreshInterval: REFRESH_MS });
}

/** Models whose name or alias contains the text; `operation` empty: all operations. */
export function filterModels(models: readonly Model[], q: string, operation: string): Model[] {
  const text = q.trim().toLowerCase();
  return models.filter(
    (model) =>
      (operation === "" || model.operation === operation) &&
      [model.name, ...model.aliases].some((name) => name.toLowerCase().includes(text)),
  );
}
