import type { ExampleModels } from "@/components/api-docs/openapi/example";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { getContainer } from "@/lib/server/process/container";

const DOLLARS_PER_NANO = 1e-9;

/** The models of an operation that at least one enabled channel serves: those a playground key can call. */
export async function usableModels(operation: "speech" | "embeddings"): Promise<GatewayModel[]> {
  const { services } = await getContainer();
  const dollars = (nano: number | null) => (nano === null ? null : nano * DOLLARS_PER_NANO);
  return (await services.catalog.all())
    .filter(({ model, routes }) => model.operation === operation && routes.length > 0)
    .map(({ model, routes }) => ({
      name: model.name,
      description: model.description,
      prices: {
        inputTokens: dollars(model.prices.inputPerMillionTokens),
        inputCharacters: dollars(model.prices.inputPerMillionCharacters),
        outputTokens: dollars(model.prices.outputPerMillionTokens),
        outputSeconds: dollars(model.prices.outputPerMillionSeconds),
      },
      isBuiltIn: routes.every(({ channel }) => channel.embedded),
      maxCharacters: model.maxCharacters,
      defaultVoice: model.defaultVoice,
      dimensions: model.dimensions,
      canShorten: model.canShorten,
    }));
}

const BUILT_IN: ExampleModels = { speech: "patchbay-speech", embeddings: "patchbay-embed" };

/** The models that examples call: the built-in ones if they are served, else the first model served. */
export async function exampleModels(): Promise<ExampleModels> {
  const [speech, embeddings] = await Promise.all([usableModels("speech"), usableModels("embeddings")]);
  const pick = (served: readonly { name: string }[], preferred: string) =>
    (served.find(({ name }) => name === preferred) ?? served[0])?.name ?? preferred;
  return {
    speech: pick(speech, BUILT_IN.speech),
    embeddings: pick(embeddings, BUILT_IN.embeddings),
  };
}
