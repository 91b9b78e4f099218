import type { Clock } from "../ports/clock";
import type { SharedCache } from "../ports/shared-state";
import type { Store } from "../ports/store";
import type { Log, Metrics } from "../ports/telemetry";
import { ApiKeyCache } from "./admission/api-key-cache";
import { type BodyMemory, createBodyMemory } from "./admission/body-memory";
import { type Batcher, createBatcher } from "./embeddings/batching";
import { VectorCache } from "./embeddings/vector-cache";
import { createIdempotency, type Idempotency } from "./idempotency";
import { createLiveBus, type LiveBus } from "./live-bus";
import { type BudgetRefusals, createBudgetRefusals } from "./metering/recent-budget-refusals";
import { RejectionCounter } from "./metering/rejections";
import { Circuits } from "./routing/circuits";
import { createTraffic, type Traffic } from "./routing/traffic";
import { BufferedReplies } from "./speech/buffered-replies";
import { createSpeechCache, type SpeechCache } from "./speech/speech-cache";

/** Gateway state that outlives a call: caches, circuits, traffic, limits in memory. */
export interface GatewayState {
  apiKeyCache: ApiKeyCache;
  traffic: Traffic;
  circuits: Circuits;
  vectorCache: VectorCache;
  speechCache: SpeechCache;
  /** The second level of both caches; null where instances share none. */
  sharedCache: SharedCache | null;
  /** Changes when the caches are cleared: a call that began before stores nothing in them. */
  cacheGeneration: number;
  /** Memory of replies that are sent only once they are complete. */
  bufferedReplies: BufferedReplies;
  batcher: Batcher;
  idempotency: Idempotency;
  budgetRefusals: BudgetRefusals;
  /** Requests refused before a channel was asked. */
  rejections: RejectionCounter;
  /** Memory of request bodies in progress. */
  bodies: BodyMemory;
  /** Live updates of the console. */
  live: LiveBus;
  /** The open alerts, by ID, as this process has read them. */
  heldAlerts: Map<string, HeldAlert>;
}

/**
 * When the condition of an open alert last held, by the clock of the instance that recorded it (`heldAt`), and since
 * when this process knows that time (`since`, monotonic milliseconds).
 */
export interface HeldAlert {
  heldAt: number;
  since: number;
}

/**
 * Drops what this process has measured of a channel that was replaced or deleted: its circuits, latencies and budget
 * for repeats.
 */
export function forgetChannel(
  { circuits, traffic }: Pick<GatewayState, "circuits" | "traffic">,
  id: string,
): void {
  circuits.close(id);
  traffic.forget(id);
}

/** Creates the state of one instance, which is part of its services. */
export function createGatewayState(services: {
  store: Store;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "count">;
}): GatewayState {
  const live = createLiveBus();
  return {
    live,
    apiKeyCache: new ApiKeyCache(services.store, services.clock, services.log),
    traffic: createTraffic(services.clock),
    circuits: new Circuits(services.clock, ({ channelId, keyId, model }, { state, reason }) => {
      live.publish("circuits");
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
    rejections: new RejectionCounter({ ...services, live }),
    bodies: createBodyMemory(),
    vectorCache: new VectorCache(),
    speechCache: createSpeechCache(),
    sharedCache: null,
    cacheGeneration: 0,
    heldAlerts: new Map(),
    bufferedReplies: new BufferedReplies(),
    batcher: createBatcher((size) => {
      services.metrics.count("upstream_batches");
      services.metrics.count("batched_texts", size);
    }),
  };
}
