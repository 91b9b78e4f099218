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
