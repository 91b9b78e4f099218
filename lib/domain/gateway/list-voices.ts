import type { VoiceEntry } from "../../contracts/voices";
import type { GatewayContext } from "../context";
import { mayUseModel } from "./resolve-model";

/** The voices of the speech models this key may use, each once, with the models that speak with it. */
export async function listVoices(ctx: GatewayContext): Promise<VoiceEntry[]> {
  const byName = new Map<string, VoiceEntry>();
  for (const { model, routes } of await ctx.catalog.all()) {
    if (model.operation !== "speech" || !mayUseModel(ctx.caller.key, model)) continue;
    const lists = await Promise.all(
      routes.map(({ channel, upstreamName }) => ctx.providers.speech(channel).voices(upstreamName)),
    );
    for (const { name, languages, gender, description, family } of lists.flat()) {
      const entry = byName.get(name) ?? {
        id: name,
        name,
        languages,
        gender,
        description,
        family,
        models: [],
      };
      if (!entry.models.includes(model.name)) entry.models.push(model.name);
      byName.set(name, entry);
    }
  }
  return [...byName.values()];
}
