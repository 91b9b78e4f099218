import type { Clock } from "../../ports/clock";
import { type BreakerKey, type CircuitSharing, CLOSED } from "../../ports/shared-state";
import { type Admission, Breaker, type CircuitHealth, worseOf } from "./breaker";
import { type CircuitPermit, Permit } from "./permit";

/**
 * While another instance has the probe of a half-open circuit: how long this instance refuses requests before it claims
 * the probe again.
 */
const PROBE_RETRY_MS = 250;

/**
 * Circuit breakers at two levels, one set per process, which may share its changes with other instances (`share`). Per
 * upstream key: connection failures and refused keys or accounts. Per upstream key and public model: every other
 * failure. A channel without keys has the key ID `null`.
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
  /** Applies the state of a circuit that another instance has published. */
  apply(key: BreakerKey, health: CircuitHealth): void;
}

interface KeyCircuits {
  key: Breaker;
  models: Map<string, Breaker>;
}

class ProcessCircuits implements Circuits {
  readonly #channels = new Map<string, Map<string | null, KeyCircuits>>();
  #sharing: CircuitSharing | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onChange: (breaker: BreakerKey, health: CircuitHealth) => void,
  ) {}

  admission(channelId: string, keyId: string | null, model: string): Admission {
    const circuits = this.#find(channelId, keyId);
    if (circuits === undefined) return "closed";
    const ofKey = circuits.key.admission;
    const ofModel = circuits.models.get(model)?.admission ?? "closed";
    if (ofKey === "refused" || ofModel === "refused") return "refused";
    return ofKey === "probe" || ofModel === "probe" ? "probe" : "closed";
  }

  enter(channelId: string, keyId: string | null, model: string): CircuitPermit {
    const circuits = this.#find(channelId, keyId) ?? this.#keyCircuits(channelId, keyId);
    return new Permit(circuits.key, this.#modelBreaker(circuits, { channelId, keyId, model }));
  }

  health(channelId: string, keyId: string | null, model?: string): CircuitHealth {
    const circuits = this.#find(channelId, keyId);
    if (circuits === undefined) return CLOSED;
    const ofModel = model === undefined ? CLOSED : (circuits.models.get(model)?.health ?? CLOSED);
    return worseOf(circuits.key.health, ofModel);
  }

  close(channelId: string, { keyId, model }: { keyId?: string | null; model?: string } = {}): void {
    const keys = this.#channels.get(channelId);
    if (keys === undefined) return;
    for (const [id, circuits] of keys) {
      if (keyId !== undefined && id !== keyId) continue;
      circuits.key.retire();
      for (const [name, ofModel] of circuits.models) {
        if (model !== undefined && name !== model) continue;
        ofModel.retire();
        circuits.models.delete(name);
      }
      // Running attempts keep their breakers; later attempts get new ones.
      if (circuits.models.size === 0) keys.delete(id);
      else circuits.key = this.#breaker({ channelId, keyId: id, model: null });
    }
  }

  get sharesProbes(): boolean {
    return this.#sharing !== null;
  }

  async claimProbe(channelId: string, keyId: string | null, model: string): Promise<boolean> {
    const circuits = this.#find(channelId, keyId);
    if (this.#sharing === null || circuits === undefined) return true;
    const levels: [Breaker | undefined, BreakerKey][] = [
      [circuits.key, { channelId, keyId, model: null }],
      [circuits.models.get(model), { channelId, keyId, model }],
    ];
    const probing = levels.filter(([one]) => one?.admission === "probe");
    if (probing.length === 0 || (await this.#sharing.claimProbe(probing.map(([, key]) => key)))) return true;
    for (const [one] of probing) one?.defer(PROBE_RETRY_MS);
    return false;
  }

  share(sharing: CircuitSharing): void {
    this.#sharing = sharing;
  }

  apply(key: BreakerKey, health: CircuitHealth): void {
    const { channelId, keyId, model } = key;
    // A closed circuit that was not used here needs no breaker.
    if (health.state === "closed" && this.#find(channelId, keyId) === undefined) return;
    const circuits = this.#keyCircuits(channelId, keyId);
    if (model === null) circuits.key.apply(health);
    else this.#modelBreaker(circuits, { ...key, model }).apply(health);
  }

  #find(channelId: string, keyId: string | null): KeyCircuits | undefined {
    return this.#channels.get(channelId)?.get(keyId);
  }

  #breaker(key: BreakerKey): Breaker {
    return new Breaker(
      this.clock,
      (health) => {
        this.onChange(key, health);
        this.#sharing?.changed(key, health);
      },
      () => this.#sharing?.releaseProbe(key),
    );
  }

  #keyCircuits(channelId: string, keyId: string | null): KeyCircuits {
    const keys = this.#channels.get(channelId) ?? new Map<string | null, KeyCircuits>();
    this.#channels.set(channelId, keys);
    const known = keys.get(keyId) ?? {
      key: this.#breaker({ channelId, keyId, model: null }),
      models: new Map(),
    };
    keys.set(keyId, known);
    return known;
  }

  #modelBreaker({ models }: KeyCircuits, key: BreakerKey & { model: string }): Breaker {
    const known = models.get(key.model) ?? this.#breaker(key);
    models.set(key.model, known);
    return known;
  }
}

/** `onChange` is called when a circuit opens or closes. */
export function createCircuits(
  clock: Clock,
  onChange: (breaker: BreakerKey, health: CircuitHealth) => void = () => undefined,
): Circuits {
  return new ProcessCircuits(clock, onChange);
}
