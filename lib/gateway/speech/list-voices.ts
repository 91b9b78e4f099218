import type { VoiceEntry } from "../../contracts/gateway/models";
import { mayUseModel } from "../admission/resolve-model";
import type { GatewayContext } from "../context";
import { voicesByRoute } from "./choose-voices";

/**
 * The voices of the speech models this key may use, each once, with its models. A name that means different voices
 * (another language, gender or catalogue) is listed once for each.
 */
export async function listVoices(ctx: GatewayContext): Promise<VoiceEntry[]> {
  const voices = new Map<string, VoiceEntry>();
  for (const entry of await ctx.services.catalog.all()) {
    const { model } = entry;
    if (model.operation !== "speech" || !mayUseModel(ctx.caller.key, model)) continue;
    const lists = await voicesByRoute(ctx.services, entry);
    for (const { name, languages, gender, description, family } of lists.flat()) {
      const identity = JSON.stringify([name, languages, gender, description, family]);
      const known = voices.get(identity) ?? {
        id: name,
        name,
        languages,
        gender,
        description,
        family,
        models: [],
      };
      if (!known.models.includes(model.name)) known.models.push(model.name);
      voices.set(identity, known);
    }
  }
  return [...voices.values()];
}
