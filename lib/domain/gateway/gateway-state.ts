import type { Store } from "../../ports/store";
import type { Services } from "../context";
import { createKeyRing, type KeyRing } from "./key-ring";
import { createTraffic, type Traffic } from "./traffic";

/** What the gateway remembers between calls: keys seen, the channels' load and speed. */
export interface GatewayState {
  keyRing: KeyRing;
  traffic: Traffic;
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
export function gatewayState(services: Pick<Services, "store" | "clock" | "log">): GatewayState {
  const known = states();
  let state = known.get(services.store);
  if (state === undefined) {
    state = {
      keyRing: createKeyRing(services.store, services.clock, services.log),
      traffic: createTraffic(services.clock),
    };
    known.set(services.store, state);
  }
  return state;
}
