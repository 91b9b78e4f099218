import { AppError } from "../../errors";
import type { Voice } from "../../ports/speech-model";
import type { CatalogEntry, Services } from "../context";
import { nearestName } from "./nearest-name";

/** The voices of a model over all channels that serve it; `isOpen` when one of them takes names it does not list. */
export interface VoiceNames {
  names: readonly string[];
  isOpen: boolean;
}

/** The voices of each channel that serves the model, in order; none for a channel that cannot tell them now. */
export function voicesByRoute(services: Services, entry: CatalogEntry): Promise<(readonly Voice[])[]> {
  return Promise.all(
    entry.routes.map(async ({ channel, upstreamName }) => {
      try {
        return await services.providers.speech(channel).voices(upstreamName);
      } catch (error) {
        services.log.warn("voices.unknown", { channelId: channel.id, error });
        return [];
      }
    }),
  );
}

/** Asks the model's channels for their voices. A channel that cannot tell them now takes any name. */
export async function listVoiceNames(services: Services, entry: CatalogEntry): Promise<VoiceNames> {
  const lists = await voicesByRoute(services, entry);
  return {
    names: [...new Set(lists.flatMap((voices) => voices.map((voice) => voice.name)))],
    isOpen: lists.some((voices) => voices.length === 0),
  };
}

/**
 * The name as the model writes it, found without regard to case. Throws `invalid` for an unknown one, with the nearest
 * known; `field` is what the caller's dialect calls it.
 */
export function canonicalVoice(
  asked: string,
  voices: VoiceNames,
  about: { field: string; model: string },
): string {
  const wanted = asked.toLowerCase();
  const found =
    voices.names.find((name) => name === asked) ?? voices.names.find((name) => name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  if (voices.isOpen) return asked;
  const near = nearestName(asked, voices.names);
  const hint = near === null ? "GET /v1/audio/voices lists them" : `did you mean '${near}'?`;
  throw new AppError(
    "invalid",
    `${about.field} '${asked.slice(0, 100)}' is not a voice of model ${about.model}; ${hint}`,
    {
      param: about.field,
    },
  );
}
