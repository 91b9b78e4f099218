import type { Store } from "../ports/store";
import { createKeyRing, type KeyRing } from "./admission/api-key-cache";
import { type BodyMemory, createBodyMemory } from "./admission/body-memory";
import { type BudgetRefusals, createBudgetRefusals } from "./admission/budget-refusals";
import type { Services } from "./context";
import { type Coalescer, createCoalescer } from "./embeddings/batching";
import { createVectorCache, type VectorCache } from "./embeddings/vector-cache";
import { createIdempotency, type Idempotency } from "./idempotency";
import { createLiveBus, type LiveBus } from "./live-bus";
import { type Circuits, createCircuits } from "./routing/circuits";
import { createTraffic, type Traffic } from "./routing/traffic";
import { HoldingSpace } from "./speech/hold-speech";
import { createSpeechCache, type SpeechCache } from "./speech/speech-cache";

/** What the gateway remembers between calls: keys seen, the channels' load and speed. */
export interface GatewayState {
  keyRing: KeyRing;
  traffic: Traffic;
  circuits: Circuits;
  vectors: VectorCache;
  speeches: SpeechCache;
  /** Where replies are held that begin only once they are whole. */
  holding: HoldingSpace;
  coalescer: Coalescer;
  idempotency: Idempotency;
  budgetRefusals: BudgetRefusals;
  /** Bodies of calls in memory. */
  bodies: BodyMemory;
  /** What pages that watch are told. */
  live: LiveBus;
}

const SLOT = Symbol.for("patchbay.gateway-state");

function states(): WeakMap<Store, GatewayState> {
  // Next's bundle and the server hold separate copies of this module; globalThis is what they share. The slot
  // is ours alone, so its type is known.
  const shared = globalThis as unknown as Record<symbol, WeakMap<Store, GatewayState> | undefined>;
  const known = shared[SLOT] ?? new WeakMap<Store, GatewayState>();
  shared[SLOT] = known;
  return known;
}

/** The state of the instance these services belong to; one per store, so tests that open a store start anew. */
export function gatewayState(services: Pick<Services, "store" | "clock" | "log" | "metrics">): GatewayState {
  const known = states();
  let state = known.get(services.store);
  if (state === undefined) {
    const live = createLiveBus();
    state = {
      live,
      keyRing: createKeyRing(services.store, services.clock, services.log),
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
      holding: new HoldingSpace(),
      coalescer: createCoalescer((size) => {
        services.metrics.count("upstream_batches");
        services.metrics.count("batched_texts", size);
      }),
    };
    known.set(services.store, state);
  }
  return state;
}
