import type { CatalogEntry } from "../../ports/catalog";
import type { SpeechModel, Voice } from "../../ports/speech-model";
import type { GatewayServices } from "../context";

/** What the channels of a speech model can do beyond text and voice. */
export interface SpeechTraits {
  /** True when at least one channel follows `instructions`; replies of the others name them in `x-patchbay-ignored`. */
  takesInstructions: boolean;
  /** The catalogues whose names are the upstreams' own voices; other catalogues' names are aliases. */
  ownFamilies: Voice["family"][];
}

/** The traits of a speech model. A channel whose provider cannot be created has none. */
export function speechTraits(
  { providers }: Pick<GatewayServices, "providers">,
  { routes }: CatalogEntry,
): SpeechTraits {
  const models = routes.flatMap(({ channel, upstreamName }): [SpeechModel, string][] => {
    try {
      return [[providers.speech(channel), upstreamName]];
    } catch {
      return [];
    }
  });
  return {
    takesInstructions: models.some(([model, name]) => model.supportedFields?.(name).includes("instructions")),
    ownFamilies: [...new Set(models.flatMap(([{ ownFamily }]) => ownFamily ?? []))],
  };
}
