import { AppError } from "../../errors";
import type { CatalogEntry } from "../../ports/catalog";
import type { Voice } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { GatewayServices } from "../context";
import { nearestName } from "./nearest-name";

/** The voices of a model over all channels that serve it. */
export interface VoiceNames {
  names: readonly string[];
  /** IDs and alternative names of the same voices. */
  aliases: readonly string[];
  /** Patterns of voice IDs that a channel accepts without listing them. */
  ids: readonly RegExp[];
  /** True when a channel accepts names that it does not list. */
  isOpen: boolean;
}

/** The voices of each channel of the model, in order; empty for a channel that cannot list them now. */
export function voicesByRoute(services: GatewayServices, entry: CatalogEntry): Promise<(readonly Voice[])[]> {
  return Promise.all(
    entry.routes.map(async ({ channel, upstreamName }) => {
      try {
        return await services.providers.speech(channel).voices(upstreamName);
      } catch (error) {
        services.log.warn("voices.unknown", { channel: channel.id, cause: error });
        return [];
      }
    }),
  );
}

/** The pattern of a channel's voice IDs; empty when its provider cannot be created, which `voicesByRoute` has logged. */
function idForms(services: GatewayServices, channel: ChannelRecord): readonly RegExp[] {
  try {
    const { voiceId } = services.providers.speech(channel);
    return voiceId === undefined ? [] : [voiceId];
  } catch {
    return [];
  }
}

/**
 * The names of each model, cached for the voice lists that its channels returned last: most calls get the same lists.
 */
const NAMES = new WeakMap<CatalogEntry, { lists: readonly (readonly Voice[])[]; names: VoiceNames }>();

/** The voices of all channels of the model. A channel that cannot list them now accepts any name. */
export async function listVoiceNames(services: GatewayServices, entry: CatalogEntry): Promise<VoiceNames> {
  const lists = await voicesByRoute(services, entry);
  const known = NAMES.get(entry);
  if (known !== undefined && lists.every((list, at) => list === known.lists[at])) return known.names;
  const names: VoiceNames = {
    names: [...new Set(lists.flatMap((voices) => voices.map((voice) => voice.name)))],
    aliases: [...new Set(lists.flatMap((voices) => voices.flatMap((voice) => voice.aliases ?? [])))],
    ids: entry.routes.flatMap(({ channel }) => idForms(services, channel)),
    isOpen: lists.some((voices) => voices.length === 0),
  };
  NAMES.set(entry, { lists, names });
  return names;
}

/** The entry equal to `asked`, exactly or else without regard to case. */
function found(asked: string, names: readonly string[]): string | undefined {
  const wanted = asked.toLowerCase();
  return names.find((name) => name === asked) ?? names.find((name) => name.toLowerCase() === wanted);
}

/**
 * The name or ID as the model's channels write it, found without regard to case. Throws `invalid` for an unknown one,
 * with the nearest name; `field`: the field's name in the caller's dialect.
 */
export function canonicalVoice(
  asked: string,
  voices: VoiceNames,
  about: { field: string; model: string },
): string {
  const known = found(asked, voices.names) ?? found(asked, voices.aliases);
  if (known !== undefined) return known;
  if (voices.isOpen || voices.ids.some((form) => form.test(asked))) return asked;
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
