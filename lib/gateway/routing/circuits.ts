import type { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamProgress } from "../../ports/upstream-progress";

/** Why a circuit is open, as the console says it. */
export type OpenReason = "failures" | "error_rate" | "rate_limited" | "credentials" | "account";

export interface CircuitHealth {
  state: "closed" | "open" | "half_open";
  /** Wall-clock milliseconds; null while closed. */
  openedAt: number | null;
  reason: OpenReason | null;
  /** Monotonic milliseconds until the next probe may go; 0 when it may. */
  waitMs: number;
}

/** `probe`: half-open, and the one request that decides is not on its way yet. `shut`: no request may go. */
export type Admission = "closed" | "probe" | "shut";

/** What one attempt says to the circuits that it passed. Exactly one of the last three, once. */
export interface CircuitPass {
  /** The first byte has arrived; a probe closes its circuit with it. */
  answered(): void;
  /** The request ended well. */
  succeeded(progress: UpstreamProgress): void;
  failed(error: AppError, progress: UpstreamProgress): void;
  /** Nothing was learned (the caller left, or sent something wrong). */
  unused(): void;
}

/** The circuit that changed; `model` null: the one of the upstream key. */
export interface BreakerKey {
  channelId: string;
  keyId: string | null;
  model: string | null;
}

/**
 * Circuit breakers at two levels (DESIGN §4), one set per process. Per upstream key: connection failures and refused
 * keys or accounts. Per upstream key and public model: everything the upstream answered. A channel without keys counts
 * as having one, `null`.
 */
export interface Circuits {
  /** Whether a request for this model may use this key now: the stricter of both levels. */
  admission(channelId: string, keyId: string | null, model: string): Admission;
  /** Counts an attempt in; in a half-open circuit it is the one probe. */
  enter(channelId: string, keyId: string | null, model: string): CircuitPass;
  /** The worse of both levels; without a model, of the key's alone. */
  health(channelId: string, keyId: string | null, model?: string): CircuitHealth;
  /** Closes circuits and forgets what they counted: all of a channel's, or those of one key or one model (and its keys'). */
  close(channelId: string, only?: { keyId?: string | null; model?: string }): void;
}

const FAILURES_IN_A_ROW = 5;
const RATE_WINDOW_MS = 10_000;
const RATE_LEAST_REQUESTS = 20;
const RATE_SHARE = 0.5;
/** An open circuit becomes half-open after this long. */
const PROBE_AFTER_MS = 30_000;
/** Bounds of an upstream's own `Retry-After` (RELIABILITY RB-7), and what counts when it sends none. */
const LEAST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 120_000;

const CLOSED: CircuitHealth = { state: "closed", openedAt: null, reason: null, waitMs: 0 };
const SEVERITY = { closed: 0, half_open: 1, open: 2 } satisfies Record<CircuitHealth["state"], number>;

/** Above 0: `a` is worse than `b`. */
function compareHealth(a: CircuitHealth, b: CircuitHealth): number {
  return SEVERITY[a.state] - SEVERITY[b.state] || a.waitMs - b.waitMs;
}

const worseOf = (a: CircuitHealth, b: CircuitHealth): CircuitHealth => (compareHealth(a, b) >= 0 ? a : b);

/** The best of several; closed where there are none. */
function bestOf(all: readonly CircuitHealth[]): CircuitHealth {
  return all.length === 0 ? CLOSED : all.reduce((best, one) => (compareHealth(one, best) < 0 ? one : best));
}

/** What opens a circuit at once, whatever went before. */
function openingCause(error: AppError): { reason: OpenReason; waitMs: number } | null {
  const { upstreamStatus, retryAfterMs } = error.details;
  if (error.code === "upstream_rate_limited") {
    const waitMs = Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, retryAfterMs ?? LEAST_WAIT_MS));
    return { reason: "rate_limited", waitMs };
  }
  if (error.code !== "upstream_error") return null;
  if (upstreamStatus === 401 || upstreamStatus === 403)
    return { reason: "credentials", waitMs: PROBE_AFTER_MS };
  if (upstreamStatus === 402) return { reason: "account", waitMs: PROBE_AFTER_MS };
  return null;
}

/** Whether a failure is the key's: no head of a reply arrived, or the upstream refused the key or its account. */
function isAboutKey({ code, details }: AppError, { hasHead, batch }: UpstreamProgress): boolean {
  const { upstreamStatus } = details;
  if (upstreamStatus !== undefined)
    return upstreamStatus === 401 || upstreamStatus === 402 || upstreamStatus === 403;
  return (code === "upstream_error" || code === "upstream_timeout") && !(batch?.hasHead ?? hasHead);
}

class Breaker {
  #failuresInARow = 0;
  /** Outcomes of the running window. */
  #windowFrom = 0;
  #requests = 0;
  #failures = 0;
  #open: { openedAt: number; until: number; reason: OpenReason } | null = null;
  #isProbing = false;
  /** Batches whose outcome was counted: it counts once, however many callers it carried. */
  #batches: WeakSet<UpstreamProgress> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onChange: (health: CircuitHealth) => void,
  ) {}

  get admission(): Admission {
    if (this.#open === null) return "closed";
    return this.#isProbing || this.clock.monotonic() < this.#open.until ? "shut" : "probe";
  }

  get health(): CircuitHealth {
    if (this.#open === null) return CLOSED;
    const waitMs = Math.max(0, this.#open.until - this.clock.monotonic());
    const { openedAt, reason } = this.#open;
    return { state: waitMs > 0 ? "open" : "half_open", openedAt, reason, waitMs };
  }

  /** True: the attempt is the probe. */
  begin(): boolean {
    if (this.#open === null || this.#isProbing) return false;
    this.#isProbing = true;
    return true;
  }

  end(isProbe: boolean): void {
    if (isProbe) this.#isProbing = false;
  }

  close(): void {
    if (this.#open === null) return;
    this.#open = null;
    this.onChange(CLOSED);
  }

  succeeded(isProbe: boolean, batch: UpstreamProgress | null): void {
    this.end(isProbe);
    if (!this.#isNews(batch)) return;
    this.#count(false);
    this.#failuresInARow = 0;
    if (isProbe) this.close();
  }

  failed(error: AppError, isProbe: boolean, batch: UpstreamProgress | null): void {
    this.end(isProbe);
    if (!this.#isNews(batch)) return;
    this.#count(true);
    this.#failuresInARow += 1;
    const cause = openingCause(error);
    if (cause !== null) this.#openFor(cause.reason, cause.waitMs);
    else if (isProbe) this.#openFor(this.#open?.reason ?? "failures", PROBE_AFTER_MS);
    // A request that began before the circuit opened says nothing new.
    else if (this.#open !== null) return;
    else if (this.#failuresInARow >= FAILURES_IN_A_ROW) this.#openFor("failures", PROBE_AFTER_MS);
    else if (this.#requests >= RATE_LEAST_REQUESTS && this.#failures >= this.#requests * RATE_SHARE)
      this.#openFor("error_rate", PROBE_AFTER_MS);
  }

  #isNews(batch: UpstreamProgress | null): boolean {
    if (batch === null) return true;
    this.#batches ??= new WeakSet();
    if (this.#batches.has(batch)) return false;
    this.#batches.add(batch);
    return true;
  }

  #count(isFailure: boolean): void {
    const now = this.clock.monotonic();
    if (now - this.#windowFrom >= RATE_WINDOW_MS) {
      this.#windowFrom = now;
      this.#requests = 0;
      this.#failures = 0;
    }
    this.#requests += 1;
    if (isFailure) this.#failures += 1;
  }

  #openFor(reason: OpenReason, waitMs: number): void {
    const openedAt = this.#open?.openedAt ?? this.clock.now();
    this.#open = { openedAt, until: this.clock.monotonic() + waitMs, reason };
    this.#failuresInARow = 0;
    this.#requests = 0;
    this.#failures = 0;
    this.onChange(this.health);
  }
}

class Pass implements CircuitPass {
  #isOver = false;
  #hasAnswered = false;
  readonly #isKeyProbe: boolean;
  readonly #isModelProbe: boolean;

  constructor(
    private readonly key: Breaker,
    private readonly model: Breaker,
  ) {
    this.#isKeyProbe = key.begin();
    this.#isModelProbe = model.begin();
  }

  answered(): void {
    if (this.#isOver || this.#hasAnswered) return;
    this.#hasAnswered = true;
    for (const [breaker, isProbe] of this.#levels()) {
      if (isProbe) breaker.close();
      // The next probe must not wait for the end of this one's stream.
      breaker.end(isProbe);
    }
  }

  succeeded({ batch }: UpstreamProgress): void {
    if (!this.#end()) return;
    // An answered probe closed its circuit then; its end says nothing of one that opened since.
    for (const [breaker, isProbe] of this.#levels()) breaker.succeeded(isProbe && !this.#hasAnswered, batch);
  }

  failed(error: AppError, progress: UpstreamProgress): void {
    if (!this.#end()) return;
    if (isAboutKey(error, progress)) {
      this.key.failed(error, this.#decides(this.key, this.#isKeyProbe), progress.batch);
      if (!this.#hasAnswered) this.model.end(this.#isModelProbe);
    } else {
      // The upstream answered: connection and key work.
      this.key.succeeded(this.#isKeyProbe && !this.#hasAnswered, progress.batch);
      this.model.failed(error, this.#decides(this.model, this.#isModelProbe), progress.batch);
    }
  }

  unused(): void {
    if (!this.#end() || this.#hasAnswered) return;
    for (const [breaker, isProbe] of this.#levels()) breaker.end(isProbe);
  }

  #levels(): readonly (readonly [Breaker, boolean])[] {
    return [
      [this.key, this.#isKeyProbe],
      [this.model, this.#isModelProbe],
    ];
  }

  /** A probe's failure opens its circuit again; one that broke after its answer, unless the circuit has opened since. */
  #decides(breaker: Breaker, isProbe: boolean): boolean {
    return isProbe && (!this.#hasAnswered || breaker.admission === "closed");
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    return true;
  }
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

  function breaker(key: BreakerKey): Breaker {
    return new Breaker(clock, (health) => onChange(key, health));
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
      if (ofKey === "shut" || ofModel === "shut") return "shut";
      return ofKey === "probe" || ofModel === "probe" ? "probe" : "closed";
    },

    enter(channelId, keyId, model) {
      const circuits = find(channelId, keyId) ?? keyCircuits(channelId, keyId);
      const ofModel = circuits.models.get(model) ?? breaker({ channelId, keyId, model });
      circuits.models.set(model, ofModel);
      return new Pass(circuits.key, ofModel);
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
        // Attempts on their way keep the breakers they entered; the next one enters new ones.
        if (circuits.models.size === 0) keys.delete(id);
        else circuits.key = breaker({ channelId, keyId: id, model: null });
      }
    },
  };
}

type Channel = Pick<ChannelRecord, "id" | "keys" | "models">;

function keyIds({ keys }: Pick<Channel, "keys">): readonly (string | null)[] {
  return keys.length === 0 ? [null] : keys.map(({ id }) => id);
}

/** The health of one model on a channel: that of its best key. */
export function modelHealth(
  circuits: Circuits,
  channel: Pick<Channel, "id" | "keys">,
  model: string,
): CircuitHealth {
  return bestOf(keyIds(channel).map((keyId) => circuits.health(channel.id, keyId, model)));
}

/** The health of one upstream key: that of the best model it serves. */
export function keyHealth(
  circuits: Circuits,
  { id, models }: Pick<Channel, "id" | "models">,
  keyId: string,
): CircuitHealth {
  if (models.length === 0) return circuits.health(id, keyId);
  return bestOf(models.map(({ name }) => circuits.health(id, keyId, name)));
}

/** The health of a channel: that of its best model, so it is closed while any of its models is served. */
export function channelHealth(circuits: Circuits, channel: Channel): CircuitHealth {
  if (channel.models.length === 0)
    return bestOf(keyIds(channel).map((keyId) => circuits.health(channel.id, keyId)));
  return bestOf(channel.models.map(({ name }) => modelHealth(circuits, channel, name)));
}

/** The models of a channel that it does not serve at present, or serves as a probe only. */
export function brokenModels(
  circuits: Circuits,
  channel: Channel,
): { name: string; health: CircuitHealth }[] {
  return channel.models
    .map(({ name }) => ({ name, health: modelHealth(circuits, channel, name) }))
    .filter(({ health }) => health.state !== "closed");
}
