import type { Clock } from "../../ports/clock";
import type { SharedStateHealth } from "../../ports/shared-state";
import type { Log, Metrics } from "../../ports/telemetry";

/** Failures in a row that open the breaker. */
export const MAX_FAILURES = 5;
const PROBE_INTERVAL_MS = 1_000;
/** Interval of probes after the breaker opens; doubles up to `PROBE_INTERVAL_MS`. */
const FIRST_PROBE_MS = 100;
/** Shortest time between two log lines about a lost Redis. */
const LOG_INTERVAL_MS = 10_000;
/**
 * Pause between probes while answers fail or come late. Spreads the `MAX_FAILURES` that open the breaker over time, so
 * that a short stall does not open it.
 */
const FAILING_PROBE_PAUSE_MS = 20;
const RECENT_MS = 60_000;
/** Most remembered times of outages. */
const MAX_OUTAGES = 100;

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const TIMED_OUT = Symbol("timed out");

/**
 * The promise's result, or `onTimeout` when `ms` have passed. When a blocked event loop runs the timer late, an answer
 * that has already arrived in the socket still counts.
 */
export function withTimeout<T, L>(work: Promise<T>, ms: number, onTimeout: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => resolve(onTimeout)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface LinkBreakerOptions {
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "count">;
  /** Longest wait for an answer in milliseconds. */
  answerMs: number;
  /** Whether a connection exists. */
  isReady(): boolean;
  /** Writes to Redis: a full server or a read-only replica would answer a PING. */
  write(): Promise<unknown>;
}

/**
 * The circuit breaker of the connections to Redis. Opens after repeated failures; a probe answered in time closes it.
 */
export class LinkBreaker {
  readonly #listeners = new Set<() => void>();
  #isUp = false;
  #isClosed = false;
  #failures = 0;
  #outages: number[] = [];
  #reason: string | null = "not connected yet";
  /** Monotonic; null while it is up. */
  #downSince: number | null;
  #loggedAt = -Infinity;
  #isLogged = false;
  #probeMs = FIRST_PROBE_MS;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | null = null;
  #isProbingUntilAnswered = false;

  constructor(private readonly options: LinkBreakerOptions) {
    this.#downSince = options.clock.monotonic();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** True after an answer that failed or came late, until the next answer in time. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  get health(): SharedStateHealth {
    const from = this.options.clock.monotonic() - RECENT_MS;
    const recentOutages = this.#outages.filter((at) => at > from).length;
    return { isUp: this.#isUp, reason: this.#reason, downMs: this.#downMs(), recentOutages };
  }

  #downMs(): number | null {
    return this.#downSince === null ? null : this.options.clock.monotonic() - this.#downSince;
  }

  /** Called each time that Redis becomes usable, including the first. */
  onUp(listener: () => void): void {
    this.#listeners.add(listener);
    if (this.#isUp) listener();
  }

  /** Waits for the answer of a command, which the breaker counts; undefined when it failed or came late. */
  async watch(work: Promise<unknown>): Promise<unknown> {
    const { answerMs } = this.options;
    try {
      const answer = await withTimeout(work, answerMs, TIMED_OUT);
      if (answer !== TIMED_OUT) {
        this.#failures = 0;
        return answer;
      }
      this.recordFailure(`no answer within ${answerMs} ms`);
    } catch (error) {
      this.recordFailure(reasonOf(error));
    }
    return undefined;
  }

  recordFailure(cause: string): void {
    this.#failures += 1;
    if (!this.#isUp) return;
    if (this.#failures >= MAX_FAILURES) this.goDown(cause);
    else void this.#probeUntilAnswered();
  }

  /** Opens the breaker. `cause` defaults to the last known one. */
  goDown(cause = this.#reason ?? "no connection"): void {
    const { clock, log, metrics } = this.options;
    this.#failures = 0;
    this.#reason = cause;
    if (this.#isUp) {
      this.#isUp = false;
      this.#downSince = clock.monotonic();
      this.#probeMs = FIRST_PROBE_MS;
      this.planProbe();
      metrics.count("redis_outages");
      this.#outages = [...this.#outages.slice(1 - MAX_OUTAGES), clock.monotonic()];
    }
    // One line per outage; an outage soon after another is logged only if it lasts.
    if (this.#isLogged || clock.monotonic() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = clock.monotonic();
    this.#isLogged = true;
    log.warn("redis_unavailable", { reason: cause });
  }

  /** Sends one probe at a time. */
  probe(): Promise<void> {
    this.#probing ??= this.#sendProbe().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  /** Probes regularly from now on. */
  planProbe(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#probeMs = this.#isUp ? PROBE_INTERVAL_MS : Math.min(PROBE_INTERVAL_MS, this.#probeMs * 2);
      if (this.options.isReady()) void this.probe();
      this.planProbe();
    }, this.#probeMs);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /**
   * After a failure, probes at once and repeatedly until a probe is answered in time or the breaker opens. Requests
   * that can do without Redis do not use it meanwhile (`RedisLink.isPrompt`), so they would not show whether it works
   * again.
   */
  async #probeUntilAnswered(): Promise<void> {
    if (this.#isProbingUntilAnswered) return;
    this.#isProbingUntilAnswered = true;
    while (this.#isUp && this.isFailing && !this.#isClosed) {
      await this.watch(this.options.write());
      if (this.isFailing) await new Promise((resolve) => setTimeout(resolve, FAILING_PROBE_PAUSE_MS).unref());
    }
    this.#isProbingUntilAnswered = false;
  }

  async #sendProbe(): Promise<void> {
    if (this.#isClosed) return;
    const { answerMs } = this.options;
    const work = this.options.write();
    try {
      const answer = await withTimeout(work, answerMs, TIMED_OUT);
      if (answer !== TIMED_OUT) this.#goUp();
      else {
        this.recordFailure(`no answer within ${answerMs} ms`);
        if (!this.#isUp) this.#reason = `no answer within ${answerMs} ms`;
        // Waits for this probe, so that no second one is sent; the connection's own timeout ends the wait.
        await work.catch(() => undefined);
      }
    } catch (error) {
      if (this.#isUp) this.recordFailure(reasonOf(error));
      else this.goDown(reasonOf(error));
    }
  }

  #goUp(): void {
    const { log } = this.options;
    this.#failures = 0;
    if (this.#isUp) return;
    this.#isUp = true;
    if (this.#isLogged) log.info("redis_recovered", { ms: Math.round(this.#downMs() ?? 0) });
    this.#isLogged = false;
    this.#reason = null;
    this.#downSince = null;
    this.#probeMs = PROBE_INTERVAL_MS;
    for (const listener of this.#listeners) listener();
  }
}
