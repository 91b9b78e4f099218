import { createHash } from "node:crypto";
import type { RedisArgument } from "@redis/client";
import type { Clock } from "../../ports/clock";
import type { SharedStateHealth } from "../../ports/shared-state";
import type { Log, Metrics } from "../../ports/telemetry";
import type { RedisAddress } from "./address";
import { createRedisClient, type RedisClient } from "./client";
import { LinkBreaker, MAX_FAILURES, reasonOf, TIMED_OUT, withTimeout } from "./link-breaker";

/** A Lua script and the digest by which Redis knows it. */
export interface Script {
  text: string;
  digest: string;
}

export const script = (text: string): Script => ({
  text,
  digest: createHash("sha1").update(text).digest("hex"),
});

interface RedisLinkOptions {
  address: RedisAddress;
  /** Reads the PEM of a certificate authority; null: those that Node knows. */
  readCa: (() => string) | null;
  prefix: string;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "count">;
  /** Longest wait for an answer in milliseconds. */
  answerMs?: number;
}

/** A request waits at most 5 ms for Redis; a timer of 4 ms fires within 5. */
const ANSWER_MS = 4;
const EXCHANGE_MS = 1_000;
const START_MS = 1_000;
/** Pause of look-ups after `MAX_FAILURES` failed in a row. */
const LOOK_UP_PAUSE_MS = 1_000;
/** Shortest time between two connections because of a read-only server. */
const RECONNECT_PAUSE_MS = 1_000;

/**
 * The connections to Redis behind a circuit breaker. While the breaker is open, only probes are sent and nothing waits
 * for Redis. Large values and messages use a connection of their own, so that limits never wait behind them.
 */
export class RedisLink {
  readonly #subscriptions = new Map<string, (message: string) => void>();
  /** Channels whose subscription Redis has confirmed; the client library renews these after a lost connection. */
  readonly #confirmed = new Set<string>();
  readonly #onListening = new Set<() => void>();
  readonly #breaker: LinkBreaker;
  readonly #fast: RedisClient;
  readonly #bulk: RedisClient;
  #isClosed = false;
  #failedLookUps = 0;
  /** No look-ups before this time, in monotonic milliseconds. */
  #lookUpsFrom = -Infinity;
  /** Monotonic milliseconds. */
  #reconnectFrom = -Infinity;

  private constructor(private readonly options: RedisLinkOptions) {
    const { address, readCa, prefix, clock, log, metrics, answerMs = ANSWER_MS } = options;
    const key = `${prefix}probe`;
    this.#breaker = new LinkBreaker({
      clock,
      log,
      metrics,
      answerMs,
      isReady: () => this.#fast.isReady,
      write: () =>
        this.#fast.send(key, ["SET", key, "1", "PX", "10000"]).catch((error: unknown) => {
          this.#leaveReplica(error);
          throw error;
        }),
    });
    this.#fast = createRedisClient(address, readCa, {
      onError: (error) => this.#disconnected(error),
      onReady: () => void this.#breaker.probe(),
    });
    this.#bulk = createRedisClient(address, readCa, {
      onError: () => undefined,
      onReady: () => void this.#subscribeAll(),
    });
  }

  /** Connects in the background; resolves after the first connection or a second, whichever is first. */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    const connecting = link.#connectForever(link.#fast);
    void link.#connectForever(link.#bulk);
    link.#breaker.planProbe();
    await withTimeout(
      connecting.then(() => link.#breaker.probe()),
      START_MS,
      undefined,
    );
    if (!link.isUp) link.#breaker.goDown();
    return link;
  }

  /** False while the breaker is open: `run` would answer undefined. */
  get isUp(): boolean {
    return this.#breaker.isUp;
  }

  /**
   * True when the breaker is closed and the last answer came in time. While it is false, requests do not wait for
   * answers that they can do without: each request then waits for one late answer at most, not for several.
   */
  get isPrompt(): boolean {
    return this.isUp && !this.#breaker.isFailing;
  }

  get health(): SharedStateHealth {
    return this.#breaker.health;
  }

  /** Prefix of all keys and channels of this installation. */
  get prefix(): string {
    return this.options.prefix;
  }

  /** Runs a script; undefined when Redis failed or did not answer in time, which the breaker counts. */
  async run(what: Script, keys: string[], args: string[]): Promise<unknown> {
    return this.isUp ? this.#breaker.watch(this.#evaluate(what, keys, args)) : undefined;
  }

  /** Sends a command without waiting for its result. */
  post(firstKey: string, args: string[]): void {
    if (this.isUp)
      this.#fast.send(firstKey, args).catch((error: unknown) => this.#breaker.recordFailure(reasonOf(error)));
  }

  /** A command with a large value or reply, which may take a second; undefined when it failed. */
  async exchange(firstKey: string, args: RedisArgument[]): Promise<unknown> {
    if (!this.isUp) return undefined;
    try {
      const answer = await withTimeout(this.#bulk.send(firstKey, args), EXCHANGE_MS, TIMED_OUT);
      return answer === TIMED_OUT ? undefined : answer;
    } catch (error) {
      this.#leaveReplica(error);
      return undefined;
    }
  }

  /**
   * A command with a large value whose result is not needed; resolves when it was answered or has failed, however late.
   */
  async deliver(firstKey: string, args: RedisArgument[]): Promise<void> {
    if (this.isUp) await this.#bulk.send(firstKey, args).catch((error) => this.#leaveReplica(error));
  }

  /**
   * Reads optional values as Buffers; undefined when the reply takes longer than `answerMs`. Sends nothing while
   * `isPrompt` is false, nor for a second after `MAX_FAILURES` failed look-ups in a row.
   */
  async lookUp(firstKey: string, args: string[]): Promise<unknown[] | undefined> {
    const { clock, answerMs = ANSWER_MS } = this.options;
    if (!this.isPrompt || clock.monotonic() < this.#lookUpsFrom) return undefined;
    try {
      const answer = await withTimeout(this.#bulk.sendForBytes(firstKey, args), answerMs, TIMED_OUT);
      if (Array.isArray(answer)) {
        this.#failedLookUps = 0;
        return answer;
      }
    } catch {
      // Counted below, like a late reply.
    }
    this.#failedLookUps += 1;
    if (this.#failedLookUps >= MAX_FAILURES) this.#lookUpsFrom = clock.monotonic() + LOOK_UP_PAUSE_MS;
    return undefined;
  }

  publish(channel: string, message: string): void {
    if (this.isUp)
      this.#bulk.send("", ["PUBLISH", `${this.prefix}${channel}`, message]).catch(() => undefined);
  }

  /** The subscription lasts until `close`, also after lost connections. */
  subscribe(channel: string, listener: (message: string) => void): void {
    // An invalid message, such as another program's, must not end the process.
    const safe = (message: string): void => {
      try {
        listener(message);
      } catch (error) {
        this.options.log.warn("redis_message_invalid", { reason: reasonOf(error) });
      }
    };
    this.#subscriptions.set(`${this.prefix}${channel}`, safe);
    void this.#subscribeAll();
  }

  /** Called each time that Redis becomes usable, including the first. */
  onUp(listener: () => void): void {
    this.#breaker.onUp(listener);
  }

  /** Called when messages arrive for the first time, or after a lost connection: some may have been missed. */
  onListening(listener: () => void): void {
    this.#onListening.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#breaker.close();
    for (const client of [this.#fast, this.#bulk]) {
      try {
        client.destroy();
      } catch {
        // It never connected.
      }
    }
  }

  #disconnected(error: unknown): void {
    if (!this.#isClosed && !this.#fast.isReady) this.#breaker.goDown(reasonOf(error));
  }

  /**
   * Connects again after a write that a replica refused: after a failover behind one address, connections that stayed
   * open lead to the old primary. Does nothing for any other error.
   */
  #leaveReplica(error: unknown): void {
    const now = this.options.clock.monotonic();
    if (this.#isClosed || now < this.#reconnectFrom || !reasonOf(error).startsWith("READONLY")) return;
    this.#reconnectFrom = now + RECONNECT_PAUSE_MS;
    for (const client of [this.#fast, this.#bulk]) client.reconnect?.();
  }

  async #connectForever(client: RedisClient): Promise<void> {
    for (let wait = 100; !this.#isClosed; wait = Math.min(2_000, wait * 2)) {
      try {
        await client.connect();
        return;
      } catch (error) {
        if (this.#isClosed) return;
        this.#disconnected(error);
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  /** Subscribes to channels that Redis has not confirmed; a failed subscription is repeated on the next connection. */
  async #subscribeAll(): Promise<void> {
    if (!this.#bulk.isReady) return;
    try {
      for (const [channel, listener] of this.#subscriptions) {
        if (this.#confirmed.has(channel)) continue;
        await this.#bulk.subscribe(channel, listener);
        this.#confirmed.add(channel);
      }
    } catch (error) {
      if (!this.#isClosed) this.options.log.warn("redis_subscribe_failed", { reason: reasonOf(error) });
      return;
    }
    for (const listener of this.#onListening) listener();
  }

  async #evaluate({ text, digest }: Script, keys: string[], args: string[]): Promise<unknown> {
    const [first = ""] = keys;
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.#fast.send(first, ["EVALSHA", digest, ...rest]);
    } catch (error) {
      if (!reasonOf(error).startsWith("NOSCRIPT")) throw error;
      return this.#fast.send(first, ["EVAL", text, ...rest]);
    }
  }
}
