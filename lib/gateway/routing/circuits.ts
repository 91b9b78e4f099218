import type { Clock } from "../../ports/clock";
import type { BreakerKey, CircuitSharing } from "../../ports/shared-state/circuits";
import { type Admission, Breaker, type CircuitHealth, CLOSED, worseOf } from "./breaker";
import { type CircuitPermit, Permit } from "./permit";

export type { BreakerKey };

/** How long an instance refuses requests to a half-open circuit before it asks again for the probe. */
const ASK_AGAIN_MS = 250;

/**
 * Circuit breakers at two levels, one set per process that may follow those of others. Per upstream key: connection failures and refused
 * keys or accounts. Per upstream key and public model: every other failure. A channel without keys has the key ID
 * `null`.
 */
export interface Circuits {
  /** Whether a request for this model may use this key now: the stricter of both levels. */
  admission(channelId: string, keyId: string | null, model: string): Admission;
  /** Starts an attempt; in a half-open circuit it is the probe. */
  enter(channelId: string, keyId: string | null, model: string): CircuitPermit;
  /** The worse of both levels; without a model, the health of the key. */
  health(channelId: string, keyId: string | null, model?: string): CircuitHealth;
  /** Closes and resets circuits: all of a channel, or those of one key or of one model and its keys. */
  close(channelId: string, only?: { keyId?: string | null; model?: string }): void;
  /** True when a probe needs a claim: `claimProbe` must be awaited before `enter`. */
  readonly sharesProbes: boolean;
  /** Claims the probe of a half-open circuit; false when another instance has it. */
  claimProbe(channelId: string, keyId: string | null, model: string): Promise<boolean>;
  /** Connects these circuits with those of other instances. */
  share(sharing: CircuitSharing): void;
  /** Takes over what another instance has seen of a circuit. */
  apply(key: BreakerKey, health: CircuitHealth): void;
}

interface KeyCircuits {
  key: Breaker;
  models: Map<string, Breaker>;
}

/** `onChange` is called when a circuit opens or closes. */
export function createCircuits(
  clock: Clock,
  onChange: (breaker: BreakerKey, health: CircuitHealth) => void = () => undefined,
): Circuits {
  const channels = new Map<string, Map<string | null, KeyCircuits>>();

  const find = (channelId: string, keyId: string | null): KeyCircuits | undefined =>
    channels.get(channelId)?.get(keyId);

  let sharing: CircuitSharing | null = null;

  function breaker(key: BreakerKey): Breaker {
    return new Breaker(
      clock,
      (health) => {
        onChange(key, health);
        sharing?.changed(key, health);
      },
      () => sharing?.releaseProbe(key),
    );
  }

  function keyCircuits(channelId: string, keyId: string | null): KeyCircuits {
    const keys = channels.get(channelId) ?? new Map<string | null, KeyCircuits>();
    channels.set(channelId, keys);
    const known = keys.get(keyId) ?? { key: breaker({ channelId, keyId, model: null }), models: new Map() };
    keys.set(keyId, known);
    return known;
  }

  return {
    admission(channelId, keyId, model) {
      const circuits = find(channelId, keyId);
      if (circuits === undefined) return "closed";
      const ofKey = circuits.key.admission;
      const ofModel = circuits.models.get(model)?.admission ?? "closed";
      if (ofKey === "refused" || ofModel === "refused") return "refused";
      return ofKey === "probe" || ofModel === "probe" ? "probe" : "closed";
    },

    enter(channelId, keyId, model) {
      const circuits = find(channelId, keyId) ?? keyCircuits(channelId, keyId);
      const ofModel = circuits.models.get(model) ?? breaker({ channelId, keyId, model });
      circuits.models.set(model, ofModel);
      return new Permit(circuits.key, ofModel);
    },

    health(channelId, keyId, model) {
      const circuits = find(channelId, keyId);
      if (circuits === undefined) return CLOSED;
      const ofModel = model === undefined ? CLOSED : (circuits.models.get(model)?.health ?? CLOSED);
      return worseOf(circuits.key.health, ofModel);
    },

    close(channelId, { keyId, model } = {}) {
      const keys = channels.get(channelId);
      if (keys === undefined) return;
      for (const [id, circuits] of keys) {
        if (keyId !== undefined && id !== keyId) continue;
        circuits.key.close();
        for (const [name, ofModel] of circuits.models) {
          if (model !== undefined && name !== model) continue;
          ofModel.close();
          circuits.models.delete(name);
        }
        // Running attempts keep their breakers; later attempts get new ones.
        if (circuits.models.size === 0) keys.delete(id);
        else circuits.key = breaker({ channelId, keyId: id, model: null });
      }
    },

    get sharesProbes() {
      return sharing !== null;
    },

    async claimProbe(channelId, keyId, model) {
      const circuits = find(channelId, keyId);
      if (sharing === null || circuits === undefined) return true;
      const levels: [Breaker | undefined, BreakerKey][] = [
        [circuits.key, { channelId, keyId, model: null }],
        [circuits.models.get(model), { channelId, keyId, model }],
      ];
      const probing = levels.filter(([one]) => one?.admission === "probe");
      if (probing.length === 0 || (await sharing.claimProbe(probing.map(([, key]) => key)))) return true;
      for (const [one] of probing) one?.defer(ASK_AGAIN_MS);
      return false;
    },

    share(others) {
      sharing = others;
    },

    apply(key, health) {
      const { channelId, keyId, model } = key;
      // A closed circuit that was not used here needs no breaker.
      if (health.state === "closed" && find(channelId, keyId) === undefined) return;
      const circuits = keyCircuits(channelId, keyId);
      if (model === null) {
        circuits.key.apply(health);
        return;
      }
      const known = circuits.models.get(model) ?? breaker(key);
      circuits.models.set(model, known);
      known.apply(health);
    },
  };
}
