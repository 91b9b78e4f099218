import { AppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { EmbeddingModel } from "../ports/embedding-model";
import type { SpeechModel } from "../ports/speech-model";
import type { ChannelRecord } from "../ports/store";
import { createEmbeddedSpeech } from "./embedded-speech/create";
import { createLexicalModel } from "./lexical/lexical-model";

export interface ProviderSettings {
  /** Where the bundle of a worker stands (lib/server/workers.ts). */
  workerFile(name: string): URL;
  clock: Clock;
}

/** What one provider can do; an engine is made on its first call and lives until `close`. */
export interface Provider {
  speech?(channel: ChannelRecord): SpeechModel;
  embedding?(channel: ChannelRecord): EmbeddingModel;
  close?(): Promise<void>;
}

/** Every provider by the name that channels carry. A new one is a folder beside this file and a line here. */
const PROVIDERS: Readonly<Record<string, (settings: ProviderSettings) => Provider>> = {
  "embedded-speech": ({ workerFile, clock }) => {
    const model = createEmbeddedSpeech({ workerFile: workerFile("speech"), clock });
    return { speech: () => model, close: () => model.close() };
  },
  lexical: () => {
    const model = createLexicalModel();
    return { embedding: () => model };
  },
};

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

/** The providers of one process; each is made when a channel first asks for it. */
export function createProviders(settings: ProviderSettings): {
  speech(channel: ChannelRecord): SpeechModel;
  embedding(channel: ChannelRecord): EmbeddingModel;
  close(): Promise<void>;
} {
  const made = new Map<string, Provider>();

  function providerOf(channel: ChannelRecord): Provider {
    const known = made.get(channel.provider);
    if (known !== undefined) return known;
    const make = Object.hasOwn(PROVIDERS, channel.provider) ? PROVIDERS[channel.provider] : undefined;
    if (make === undefined) throw new AppError("internal", `There is no provider '${channel.provider}'.`);
    const provider = make(settings);
    made.set(channel.provider, provider);
    return provider;
  }

  return {
    speech(channel) {
      const model = providerOf(channel).speech?.(channel);
      if (model === undefined)
        throw new AppError("internal", `The provider '${channel.provider}' does not speak.`);
      return model;
    },
    embedding(channel) {
      const model = providerOf(channel).embedding?.(channel);
      if (model === undefined) {
        throw new AppError("internal", `The provider '${channel.provider}' makes no embeddings.`);
      }
      return model;
    },
    async close() {
      await Promise.all([...made.values()].map((provider) => provider.close?.()));
      made.clear();
    },
  };
}
