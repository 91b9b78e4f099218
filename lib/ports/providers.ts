import type { ChannelProviders } from "./channel-probe";
import type { EmbeddingModel } from "./embedding-model";
import type { SpeechModel } from "./speech-model";
import type { ChannelRecord } from "./store";

/** Providers by channel, made by the composition root from lib/providers/registry.ts. */
export interface Providers extends ChannelProviders {
  /** Throws AppError `internal` when the channel's provider has no speech. */
  speech(channel: ChannelRecord): SpeechModel;
  embedding(channel: ChannelRecord): EmbeddingModel;
}
