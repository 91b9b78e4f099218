import type { Clock } from "../../ports/clock";
import { type BreakerKey, type CircuitHealth, type CircuitSharing, CLOSED } from "../../ports/shared-state";
import { Breaker, type CircuitAccess, worseOf } from "./breaker";
import { CircuitPermit } from "./permit";

/**
 * While another instance has the probe of a half-open circuit: how long this instance refuses requests before it claims
 * the probe again.
 */
const PROBE_RETRY_MS = 250;

/** The circuits of one upstream key; those of its models by their public names. */
interface KeyCircuits {
  ofKey: Breaker;
  ofModel: Map<string, Breaker>;
}

/**
 * Circuit breakers at two levels, one set per process, which may share its changes with other instances (`share`). Per
 * upstream key: connection failures and refused keys or accounts. Per upstream key and public model: every other
 * failure. A channel without keys has the key ID `null`.
 */
export class Circuits {
  readonly #channels = new Map<string, Map<string | null, KeyCircuits>>();
  #sharing: CircuitSharing | null = null;

  /** `onChange` is called when a circuit opens or closes. */
  constructor(
    private readonly clock: Clock,
    private readonly onChange: (key: BreakerKey, health: CircuitHealth) => void = () => undefined,
  ) {}

  /** Whether a request for this model may use this key now: the stricter of both levels. */
  access(channelId: string, keyId: string | null, model: string): CircuitAccess {
    const circuits = this.#find(channelId, keyId);
    if (circuits === undefined) return "closed";
    const ofKey = circuits.ofKey.access;
    const ofModel = circuits.ofModel.get(model)?.access ?? "closed";
    if (ofKey === "refused" || ofModel === "refused") return "refused";
    return ofKey === "probe" || ofModel === "probe" ? "probe" : "closed";
  }

  /** Starts an attempt; in a half-open circuit it is the probe. */
  enter(channelId: string, keyId: string | null, model: string): CircuitPermit {
    const circuits = this.#find(channelId, keyId) ?? this.#keyCircuits(channelId, keyId);
    return new CircuitPermit(circuits.ofKey, this.#modelBreaker(circuits, { channelId, keyId, model }));
  }

  /** The worse of both levels; without a model, the health of the key. */
  health(channelId: string, keyId: string | null, model?: string): CircuitHealth {
    const circuits = this.#find(channelId, keyId);
    if (circuits === undefined) return CLOSED;
    const ofModel = model === undefined ? CLOSED : (circuits.ofModel.get(model)?.health ?? CLOSED);
    return worseOf(circuits.ofKey.health, ofModel);
  }

  /** Closes and resets circuits: all of a channel, or those of one key or of one model and its keys. */
  close(channelId: string, { keyId, model }: { keyId?: string | null; model?: string } = {}): void {
    const keys = this.#channels.get(channelId);
    if (keys === undefined) return;
    for (const [id, circuits] of keys) {
      if (keyId !== undefined && id !== keyId) continue;
      circuits.ofKey.retire();
      for (const [name, breaker] of circuits.ofModel) {
        if (model !== undefined && name !== model) continue;
        breaker.retire();
        circuits.ofModel.delete(name);
      }
      // Running attempts keep their breakers; later attempts get new ones.
      if (circuits.ofModel.size === 0) keys.delete(id);
      else circuits.ofKey = this.#breaker({ channelId, keyId: id, model: null });
    }
  }

  /** True when a probe needs a claim: `claimProbe` must be awaited before `enter`. */
  get sharesProbes(): boolean {
    return this.#sharing !== null;
  }

  /** Claims the probe of a half-open circuit; false when another instance has it. */
  async claimProbe(channelId: string, keyId: string | null, model: string): Promise<boolean> {
    const circuits = this.#find(channelId, keyId);
    if (this.#sharing === null || circuits === undefined) return true;
    const levels: [Breaker | undefined, BreakerKey][] = [
      [circuits.ofKey, { channelId, keyId, model: null }],
      [circuits.ofModel.get(model), { channelId, keyId, model }],
    ];
    const probing = levels.filter(([one]) => one?.access === "probe");
    if (probing.length === 0 || (await this.#sharing.claimProbe(probing.map(([, key]) => key)))) return true;
    for (const [one] of probing) one?.defer(PROBE_RETRY_MS);
    return false;
  }

  /** Connects these circuits with those of other instances. */
  share(sharing: CircuitSharing): void {
    this.#sharing = sharing;
  }

  /** Applies the state of a circuit that another instance has published. */
  apply(key: BreakerKey, health: CircuitHealth): void {
    const { channelId, keyId, model } = key;
    // A closed circuit that was not used here needs no breaker.
    if (health.state === "closed" && this.#find(channelId, keyId) === undefined) return;
    const circuits = this.#keyCircuits(channelId, keyId);
    if (model === null) circuits.ofKey.apply(health);
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
      ofKey: this.#breaker({ channelId, keyId, model: null }),
      ofModel: new Map(),
    };
    keys.set(keyId, known);
    return known;
  }

  #modelBreaker({ ofModel }: KeyCircuits, key: BreakerKey & { model: string }): Breaker {
    const known = ofModel.get(key.model) ?? this.#breaker(key);
    ofModel.set(key.model, known);
    return known;
  }
}
