import type { ChannelProbe } from "../../ports/channel-probe";
import type { EmbeddingModel } from "../../ports/embedding-model";
import type { SpeechModel } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";

/** What an upstream provider implements for the registry. */
export interface UpstreamProvider {
  operations: readonly ("speech" | "embeddings")[];
  defaultBaseUrl: string;
  /** Throws `invalid` with `issues`. */
  checkOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  speech?(channel: ChannelRecord): SpeechModel;
  embedding?(channel: ChannelRecord): EmbeddingModel;
  probe(channel: ChannelRecord): ChannelProbe;
}
