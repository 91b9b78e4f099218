import type { ExampleModels } from "@/components/api-docs/openapi/example";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { hasTaskTypes, playgroundModels } from "@/lib/console/models/playground-models";
import { speechTraits } from "@/lib/gateway/speech/speech-traits";
import { getContainer } from "@/lib/server/process/container";
import { type PageSession, pageContext } from "../guard";

const DOLLARS_PER_NANO = 1e-9;
/** The channel provider of flite and espeak-ng. */
const CLASSIC_PROVIDER = "embedded-speech";

/** The models that a playground key can call; the first is the one to start with. */
export async function usableModels(
  pageSession: PageSession,
  operation: "speech" | "embeddings",
): Promise<GatewayModel[]> {
  const ctx = await pageContext(pageSession);
  const dollars = (nano: number | null) => (nano === null ? null : nano * DOLLARS_PER_NANO);
  return (await playgroundModels(ctx, operation)).map((entry) => {
    const { model, routes } = entry;
    return {
      name: model.name,
      description: model.description,
      prices: {
        inputTokens: dollars(model.prices.inputPerMillionTokens),
        inputCharacters: dollars(model.prices.inputPerMillionCharacters),
        outputTokens: dollars(model.prices.outputPerMillionTokens),
        outputSeconds: dollars(model.prices.outputPerMillionSeconds),
      },
      isBuiltIn: routes.every(({ channel }) => channel.embedded),
      isClassic: routes.every(({ channel }) => channel.provider === CLASSIC_PROVIDER),
      maxCharacters: model.maxCharacters,
      defaultVoice: model.defaultVoice,
      dimensions: model.dimensions,
      canShorten: model.canShorten,
      hasTaskTypes: hasTaskTypes(entry),
      ...(operation === "speech" ? speechTraits(ctx, entry) : { takesInstructions: false, ownFamilies: [] }),
    };
  });
}

const BUILT_IN: ExampleModels = { speech: "patchbay-speech", embeddings: "patchbay-embed-en" };

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
