import type { VoiceEntry } from "../../contracts/gateway/voices";
import { mayUseModel } from "../admission/resolve-model";
import type { GatewayContext } from "../context";
import { voicesByRoute } from "./choose-voices";

/** The voices of the speech models this key may use, each once, with its models. */
export async function listVoices(ctx: GatewayContext): Promise<VoiceEntry[]> {
  const byName = new Map<string, VoiceEntry>();
  for (const entry of await ctx.services.catalog.all()) {
    const { model } = entry;
    if (model.operation !== "speech" || !mayUseModel(ctx.caller.key, model)) continue;
    const lists = await voicesByRoute(ctx.services, entry);
    for (const { name, languages, gender, description, family } of lists.flat()) {
      const known = byName.get(name) ?? {
        id: name,
        name,
        languages,
        gender,
        description,
        family,
        models: [],
      };
      if (!known.models.includes(model.name)) known.models.push(model.name);
      byName.set(name, known);
    }
  }
  return [...byName.values()];
}
