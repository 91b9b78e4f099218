import type { CircuitReason } from "../../contracts/console/channels";
import type { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { type CircuitHealth, CLOSED } from "../../ports/shared-state";
import type { UpstreamProgress } from "../../ports/upstream-progress";

/** `probe`: half-open, and no probe is running yet. `refused`: open, or a probe is running. */
export type CircuitAccess = "closed" | "probe" | "refused";

const CONSECUTIVE_FAILURES = 5;
const RATE_WINDOW_MS = 10_000;
const RATE_MIN_REQUESTS = 20;
const RATE_SHARE = 0.5;
/** An open circuit becomes half-open after this long. */
const PROBE_AFTER_MS = 30_000;
/** Limits of an upstream's `Retry-After`; the lower one is used when it sends none. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 120_000;

/** A rate limit that ended this long ago, without a request since, counts as over. */
export const LIMIT_ENDED_MS = 10 * 60_000;

const SEVERITY = { closed: 0, half_open: 1, open: 2 } satisfies Record<CircuitHealth["state"], number>;

/** Positive when `a` is worse than `b`. */
function compareHealth(a: CircuitHealth, b: CircuitHealth): number {
  return SEVERITY[a.state] - SEVERITY[b.state] || a.waitMs - b.waitMs;
}

/** The worse of two. */
export const worseOf = (a: CircuitHealth, b: CircuitHealth): CircuitHealth =>
  compareHealth(a, b) >= 0 ? a : b;

/** The best of several; closed where there are none. */
export function bestOf(all: readonly CircuitHealth[]): CircuitHealth {
  return all.length === 0 ? CLOSED : all.reduce((best, one) => (compareHealth(one, best) < 0 ? one : best));
}

/** A 403 may be about the key or about one of its models. */
function isForbidden({ details }: AppError): boolean {
  return details.upstreamRefusal === "credentials" && details.upstreamStatus === 403;
}

/** A failure that opens a circuit at once, regardless of earlier results. */
function openingCause(error: AppError): { reason: CircuitReason; waitMs: number } | null {
  const { upstreamRefusal, retryAfterMs } = error.details;
  if (error.code === "upstream_rate_limited") {
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, retryAfterMs ?? MIN_WAIT_MS));
    return { reason: "rate_limited", waitMs };
  }
  if (upstreamRefusal === undefined || isForbidden(error)) return null;
  return { reason: upstreamRefusal, waitMs: PROBE_AFTER_MS };
}

/** One circuit breaker: 5 failures in a row or an error rate of 50 % open it; a probe closes it or opens it again. */
export class Breaker {
  #consecutiveFailures = 0;
  /** True while each of the consecutive failures was a 403 about the key. */
  #wereAllForbidden = true;
  /** Results of the current window. */
  #windowFrom = 0;
  #requests = 0;
  #failures = 0;
  /** `openedAt` is the wall clock's; `since` (when it opened) and `until` (when a probe is allowed) are monotonic. */
  #open: { openedAt: number; since: number; until: number; reason: CircuitReason } | null = null;
  #isProbing = false;
  #isRetired = false;
  /** Monotonic milliseconds until which this instance waits for another instance's probe. */
  #deferredUntil = 0;
  /** Batches whose result was counted: each counts once, regardless of its number of callers. */
  #batches: WeakSet<UpstreamProgress> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onChange: (health: CircuitHealth) => void,
    private readonly onProbeEnd: () => void = () => undefined,
  ) {}

  get access(): CircuitAccess {
    if (this.#open === null) return "closed";
    const now = this.clock.monotonic();
    return this.#isProbing || now < this.#open.until || now < this.#deferredUntil ? "refused" : "probe";
  }

  get health(): CircuitHealth {
    if (this.#open === null) return CLOSED;
    const { openedAt, since, reason, until } = this.#open;
    const now = this.clock.monotonic();
    const leftMs = until - now;
    return {
      state: leftMs > 0 ? "open" : "half_open",
      openedAt,
      openMs: now - since,
      reason,
      waitMs: Math.max(0, leftMs),
      idleMs: Math.max(0, -leftMs),
    };
  }

  /** Starts an attempt; true when it is the probe. */
  begin(): boolean {
    if (this.#open === null || this.#isProbing) return false;
    this.#isProbing = true;
    return true;
  }

  end(isProbe: boolean): void {
    if (!isProbe || !this.#isProbing) return;
    this.#isProbing = false;
    this.onProbeEnd();
  }

  /** Refuses the probe for `ms`: another instance has it. */
  defer(ms: number): void {
    this.#deferredUntil = this.clock.monotonic() + ms;
  }

  /** Applies the state that another instance has published; `onChange` is not called. */
  apply({ state, openedAt, openMs, reason, waitMs, idleMs }: CircuitHealth): void {
    this.#resetCounts();
    this.#deferredUntil = 0;
    if (state === "closed" || openedAt === null || reason === null) {
      this.#open = null;
      return;
    }
    const now = this.clock.monotonic();
    // `since` is kept for an outage that this instance already knows: `openMs` was computed from a wall clock, which
    // may have been set in the meantime.
    const since = this.#open?.openedAt === openedAt ? this.#open.since : now - openMs;
    this.#open = { openedAt, since, until: now + waitMs - idleMs, reason };
  }

  /**
   * Closes the circuit of a breaker that is no longer used: results of attempts that are still running are not
   * published.
   */
  retire(): void {
    this.close();
    this.#isRetired = true;
  }

  close(): void {
    if (this.#open === null) return;
    this.#open = null;
    // Requests that began before the circuit opened may have failed while it was open.
    this.#resetCounts();
    this.onChange(CLOSED);
  }

  succeeded(isProbe: boolean, batch: UpstreamProgress | null): void {
    this.end(isProbe);
    if (!this.#isFirstResult(batch)) return;
    this.#count(false);
    this.#consecutiveFailures = 0;
    if (isProbe) this.close();
  }

  failed(error: AppError, isProbe: boolean, batch: UpstreamProgress | null): void {
    this.end(isProbe);
    if (!this.#isFirstResult(batch)) return;
    this.#count(true);
    this.#wereAllForbidden =
      isForbidden(error) && (this.#consecutiveFailures === 0 || this.#wereAllForbidden);
    this.#consecutiveFailures += 1;
    const cause = openingCause(error);
    if (cause !== null) this.#openFor(cause.reason, cause.waitMs);
    else if (isProbe) this.#openFor(this.#reasonOfProbe(), PROBE_AFTER_MS);
    // The failure of a request that began before the circuit opened does not keep it open for longer.
    else if (this.#open !== null) return;
    else if (this.#consecutiveFailures >= CONSECUTIVE_FAILURES)
      this.#openFor(this.#wereAllForbidden ? "credentials" : "failures", PROBE_AFTER_MS);
    else if (this.#requests >= RATE_MIN_REQUESTS && this.#failures >= this.#requests * RATE_SHARE)
      this.#openFor("error_rate", PROBE_AFTER_MS);
  }

  /** The reason after a probe that failed: what opened the circuit, unless that was a rate limit, which is over. */
  #reasonOfProbe(): CircuitReason {
    const reason = this.#open?.reason ?? "failures";
    return reason === "rate_limited" ? "failures" : reason;
  }

  #isFirstResult(batch: UpstreamProgress | null): boolean {
    if (batch === null) return true;
    this.#batches ??= new WeakSet();
    if (this.#batches.has(batch)) return false;
    this.#batches.add(batch);
    return true;
  }

  #resetCounts(): void {
    this.#consecutiveFailures = 0;
    this.#requests = 0;
    this.#failures = 0;
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

  /**
   * True when a circuit that opens again continues its outage, and so keeps the time when it opened. After a rate limit
   * only another rate limit continues the outage, unless the first one ended long ago (`LIMIT_ENDED_MS`).
   */
  #continues(reason: CircuitReason): boolean {
    if (this.#open === null || this.#open.reason !== "rate_limited") return true;
    return reason === "rate_limited" && this.health.idleMs < LIMIT_ENDED_MS;
  }

  #openFor(reason: CircuitReason, waitMs: number): void {
    const now = this.clock.monotonic();
    const known = this.#continues(reason) ? this.#open : null;
    const { openedAt, since } = known ?? { openedAt: this.clock.now(), since: now };
    this.#open = { openedAt, since, until: now + waitMs, reason };
    this.#resetCounts();
    if (!this.#isRetired) this.onChange(this.health);
  }
}
