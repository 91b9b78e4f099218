import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { getContainer } from "@/lib/server/process/container";

const BUILT_IN: ExampleModels = { speech: "patchbay-speech", embeddings: "patchbay-embed" };

/** The models that examples call: the built-in ones if they are served, else the first model served. */
export async function exampleModels(): Promise<ExampleModels> {
  const { services } = await getContainer();
  const served = (await services.catalog.all()).filter(({ routes }) => routes.length > 0);
  const pick = (operation: "speech" | "embeddings"): string => {
    const names = served.flatMap(({ model }) => (model.operation === operation ? [model.name] : []));
    const preferred = BUILT_IN[operation];
    return names.includes(preferred) ? preferred : (names[0] ?? preferred);
  };
  return { speech: pick("speech"), embeddings: pick("embeddings") };
}
