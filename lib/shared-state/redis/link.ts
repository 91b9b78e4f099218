import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/log";
import type { Metrics } from "../../ports/metrics";
import type { SharedStateHealth } from "../../ports/shared-state/health";
import type { RedisAddress } from "./address";
import { createRedisClient, type RedisClient } from "./client";

/** A Lua script and the digest by which Redis knows it. */
export interface Script {
  text: string;
  digest: string;
}

export const script = (text: string): Script => ({
  text,
  digest: createHash("sha1").update(text).digest("hex"),
});

/**
 * The connections to Redis behind a circuit breaker. While it is open nothing waits for Redis and nothing is sent but
 * probes. Large values and messages use a connection of their own, so that limits never wait behind them.
 */
export interface RedisLink {
  /** False while the breaker is open: `run` would answer undefined. */
  readonly isUp: boolean;
  readonly health: SharedStateHealth;
  /** Prefix of all keys and channels of this installation. */
  readonly prefix: string;
  /** Runs a script; undefined when Redis failed or did not answer in time, which the breaker counts. */
  run(script: Script, keys: string[], args: string[]): Promise<unknown>;
  /** Sends a command without waiting for its result. */
  post(firstKey: string, args: string[]): void;
  /** A command with a large value or reply, with a second to answer; undefined when it failed. */
  exchange(firstKey: string, args: string[]): Promise<unknown>;
  publish(channel: string, message: string): void;
  /** Kept over lost connections. */
  subscribe(channel: string, listener: (message: string) => void): void;
  /** Called when Redis is usable after it was not, the first time included. */
  onUp(listener: () => void): void;
  close(): void;
}

export interface RedisLinkOptions {
  address: RedisAddress;
  /** PEM of a certificate authority. */
  ca: string | null;
  prefix: string;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "count">;
  /** Longest wait for an answer in milliseconds. */
  answerMs?: number;
}

/** A timer of 4 ms ends within 5. */
const ANSWER_MS = 4;
const EXCHANGE_MS = 1_000;
/** Failures in a row that open the breaker. */
const MAX_FAILURES = 5;
const PROBE_EVERY_MS = 1_000;
/** Interval of probes after the breaker opens; doubles up to `PROBE_EVERY_MS`. */
const FIRST_PROBE_MS = 100;
/** Shortest time between two log lines about a lost Redis. */
const LOG_EVERY_MS = 10_000;
const START_MS = 1_000;
const RECENT_MS = 60_000;
/** Most remembered times of outages. */
const MAX_OUTAGES = 100;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The promise's result; `late` when `ms` have passed. An answer that is already in the socket still counts, however late
 * the timer runs.
 */
function within<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => resolve(late)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const LATE = Symbol("late");

/** Connects in the background; resolves after the first connection or a second, whichever is first. */
export async function openRedisLink({
  address,
  ca,
  prefix,
  clock,
  log,
  metrics,
  answerMs = ANSWER_MS,
}: RedisLinkOptions): Promise<RedisLink> {
  const listeners = new Set<() => void>();
  const subscriptions = new Map<string, (message: string) => void>();
  let isUp = false;
  let isClosed = false;
  let failures = 0;
  let outages: number[] = [];
  let reason: string | null = "not connected yet";
  let since: number | null = clock.now();
  let loggedAt = -Infinity;
  let isLogged = false;
  let probeMs = FIRST_PROBE_MS;
  let probeTimer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | null = null;

  function goDown(cause: string): void {
    failures = 0;
    reason = cause;
    if (isUp) {
      isUp = false;
      since = clock.now();
      probeMs = FIRST_PROBE_MS;
      planProbe();
      metrics.count("redis_outages");
      outages = [...outages.slice(1 - MAX_OUTAGES), clock.monotonic()];
    }
    // One line per outage; an outage soon after another is logged only if it lasts.
    if (isLogged || clock.monotonic() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = clock.monotonic();
    isLogged = true;
    log.warn("redis_unavailable", { reason: cause });
  }

  function goUp(): void {
    failures = 0;
    if (isUp) return;
    isUp = true;
    if (isLogged) log.info("redis_recovered", { ms: since === null ? 0 : clock.now() - since });
    isLogged = false;
    reason = null;
    since = null;
    probeMs = PROBE_EVERY_MS;
    for (const listener of listeners) listener();
  }

  function failed(cause: string): void {
    failures += 1;
    if (isUp && failures >= MAX_FAILURES) goDown(cause);
  }

  const onError = (error: Error): void => {
    if (!isClosed && !fast.isReady) goDown(reasonOf(error));
  };
  const fast: RedisClient = createRedisClient(address, ca, { onError, onReady: () => void probe() });
  const bulk: RedisClient = createRedisClient(address, ca, {
    onError: () => undefined,
    onReady: () => undefined,
  });

  /** One at a time. */
  function probe(): Promise<void> {
    probing ??= sendProbe().finally(() => {
      probing = null;
    });
    return probing;
  }

  /** A write, because a full server or a read-only replica answers a PING. */
  async function sendProbe(): Promise<void> {
    if (isClosed) return;
    const key = `${prefix}probe`;
    const work = fast.send(key, ["SET", key, "1", "PX", "10000"]);
    try {
      const answer = await within(work, answerMs, LATE);
      if (answer !== LATE) goUp();
      else {
        failed(`no answer within ${answerMs} ms`);
        if (!isUp) reason = `no answer within ${answerMs} ms`;
        // No second probe while the first waits: the connection's own timeout ends it.
        await work.catch(() => undefined);
      }
    } catch (error) {
      if (isUp) failed(reasonOf(error));
      else goDown(reasonOf(error));
    }
  }

  function planProbe(): void {
    clearTimeout(probeTimer);
    if (isClosed) return;
    probeTimer = setTimeout(() => {
      probeMs = isUp ? PROBE_EVERY_MS : Math.min(PROBE_EVERY_MS, probeMs * 2);
      if (fast.isReady) void probe();
      planProbe();
    }, probeMs);
    probeTimer.unref();
  }

  async function connectForever(client: RedisClient): Promise<void> {
    for (let wait = 100; !isClosed; wait = Math.min(2_000, wait * 2)) {
      try {
        await client.connect();
        return;
      } catch (error) {
        if (isClosed) return;
        onError(error instanceof Error ? error : new Error(String(error)));
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  async function evaluate({ text, digest }: Script, keys: string[], args: string[]): Promise<unknown> {
    const [first = ""] = keys;
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await fast.send(first, ["EVALSHA", digest, ...rest]);
    } catch (error) {
      if (!reasonOf(error).startsWith("NOSCRIPT")) throw error;
      return fast.send(first, ["EVAL", text, ...rest]);
    }
  }

  /** A message that is not ours must not end the process. */
  const safely = (listener: (message: string) => void) => (message: string) => {
    try {
      listener(message);
    } catch (error) {
      log.warn("redis_message_invalid", { reason: reasonOf(error) });
    }
  };

  async function subscribeAll(): Promise<void> {
    for (const [channel, listener] of subscriptions) await bulk.subscribe(channel, listener);
  }

  const connecting = connectForever(fast);
  const bulkConnecting = connectForever(bulk).then(() => (isClosed ? undefined : subscribeAll()));
  bulkConnecting.catch((error: unknown) => log.warn("redis_subscribe_failed", { reason: reasonOf(error) }));
  planProbe();
  await within(connecting.then(probe), START_MS, undefined);
  if (!isUp) goDown(reason ?? "no connection");

  return {
    get isUp() {
      return isUp;
    },
    get health() {
      const from = clock.monotonic() - RECENT_MS;
      return { isUp, reason, since, recentOutages: outages.filter((at) => at > from).length };
    },
    prefix,

    async run(what, keys, args) {
      if (!isUp) return undefined;
      try {
        const answer = await within(evaluate(what, keys, args), answerMs, LATE);
        if (answer !== LATE) {
          failures = 0;
          return answer;
        }
        failed(`no answer within ${answerMs} ms`);
      } catch (error) {
        failed(reasonOf(error));
      }
      return undefined;
    },

    post(firstKey, args) {
      if (isUp) fast.send(firstKey, args).catch((error: unknown) => failed(reasonOf(error)));
    },

    async exchange(firstKey, args) {
      if (!isUp) return undefined;
      try {
        const answer = await within(bulk.send(firstKey, args), EXCHANGE_MS, LATE);
        return answer === LATE ? undefined : answer;
      } catch {
        return undefined;
      }
    },

    publish(channel, message) {
      if (isUp) bulk.send("", ["PUBLISH", `${prefix}${channel}`, message]).catch(() => undefined);
    },

    subscribe(channel, listener) {
      const safe = safely(listener);
      subscriptions.set(`${prefix}${channel}`, safe);
      if (bulk.isReady) bulk.subscribe(`${prefix}${channel}`, safe).catch(() => undefined);
    },

    onUp(listener) {
      listeners.add(listener);
      if (isUp) listener();
    },

    close() {
      isClosed = true;
      clearTimeout(probeTimer);
      for (const client of [fast, bulk]) {
        try {
          client.destroy();
        } catch {
          // It never connected.
        }
      }
    },
  };
}
