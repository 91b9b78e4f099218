import type { Clock } from "../ports/clock";
import type { Log } from "../ports/log";
import type { Metrics } from "../ports/metrics";
import type { Store } from "../ports/store";
import { type ApiKeyCache, createApiKeyCache } from "./admission/api-key-cache";
import { type BodyMemory, createBodyMemory } from "./admission/body-memory";
import { type BudgetRefusals, createBudgetRefusals } from "./admission/budget-refusals";
import { type Batcher, createBatcher } from "./embeddings/batching";
import { createVectorCache, type VectorCache } from "./embeddings/vector-cache";
import { createIdempotency, type Idempotency } from "./idempotency";
import { createLiveBus, type LiveBus } from "./live-bus";
import { type Circuits, createCircuits } from "./routing/circuits";
import { createTraffic, type Traffic } from "./routing/traffic";
import { HeldReplies } from "./speech/held-replies";
import { createSpeechCache, type SpeechCache } from "./speech/speech-cache";

/** What the gateway remembers between calls: keys seen, the channels' load and speed. */
export interface GatewayState {
  apiKeyCache: ApiKeyCache;
  traffic: Traffic;
  circuits: Circuits;
  vectors: VectorCache;
  speeches: SpeechCache;
  /** Where replies are held that begin only once they are whole. */
  holding: HeldReplies;
  batcher: Batcher;
  idempotency: Idempotency;
  budgetRefusals: BudgetRefusals;
  /** Bodies of calls in memory. */
  bodies: BodyMemory;
  /** What pages that watch are told. */
  live: LiveBus;
}

/** The state of one instance; its services hold it. */
export function createGatewayState(services: {
  store: Store;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "count">;
}): GatewayState {
  const live = createLiveBus();
  return {
    live,
    apiKeyCache: createApiKeyCache(services.store, services.clock, services.log),
    traffic: createTraffic(services.clock),
    circuits: createCircuits(services.clock, ({ channelId, keyId, model }, { state, reason }) => {
      live.tell("circuits");
      const fields = {
        channel: channelId,
        ...(keyId === null ? {} : { keyId }),
        ...(model === null ? {} : { model }),
        state,
        reason: reason ?? "",
      };
      if (state === "closed") services.log.info("circuit_closed", fields);
      else services.log.warn("circuit_opened", fields);
    }),
    idempotency: createIdempotency(services.clock),
    budgetRefusals: createBudgetRefusals(services.clock),
    bodies: createBodyMemory(),
    vectors: createVectorCache(),
    speeches: createSpeechCache(),
    holding: new HeldReplies(),
    batcher: createBatcher((size) => {
      services.metrics.count("upstream_batches");
      services.metrics.count("batched_texts", size);
    }),
  };
}
