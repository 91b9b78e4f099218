import type { Clock } from "../../ports/clock";

/** Latency of the channels and their budgets for repeats; one per process. */
export interface Traffic {
  /**
   * Smoothed milliseconds to the first byte of this model on this channel; higher while the requests in progress wait
   * much longer than that. Null before the first measurement.
   */
  latencyMs(channelId: string, model: string): number | null;
  /** Starts an attempt; repeats do not add to the channel's budget for repeats. */
  begin(channelId: string, model: string, isRepeat: boolean): RunningAttempt;
  /**
   * Takes one repeat on the same channel from its budget: 10 % of its requests of the last 10 s, at least 10.
   * `failedCall` is the upstream call that failed: the other callers of its batch repeat for free.
   */
  takeRepeat(channelId: string, failedCall: object): boolean;
  /** Forgets all counts and latencies of a channel; attempts that are still running no longer count. */
  forget(channelId: string): void;
}

/** Minimum weight of the newest latency in the smoothed one. */
const SMOOTHING = 0.2;
/** A measurement of this age has lost two thirds of its weight, so that a rarely used channel adapts fast. */
const DECAY_MS = 10_000;
/** Waiting requests raise the latency once their mean wait exceeds it by this factor. */
const SLOW_WAIT_FACTOR = 4;
const REPEAT_SHARE = 0.1;
const MIN_REPEATS_ALLOWED = 10;
const WINDOW_SECONDS = 10;

/** Counts over the last `WINDOW_SECONDS` seconds. */
class WindowCount {
  readonly #counts = new Array<number>(WINDOW_SECONDS).fill(0);
  readonly #seconds = new Array<number>(WINDOW_SECONDS).fill(-1);

  add(second: number): void {
    const at = second % WINDOW_SECONDS;
    if (this.#seconds[at] !== second) {
      this.#seconds[at] = second;
      this.#counts[at] = 0;
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  sum(second: number): number {
    let total = 0;
    for (let i = 0; i < WINDOW_SECONDS; i++) {
      if ((this.#seconds[i] ?? -1) > second - WINDOW_SECONDS) total += this.#counts[i] ?? 0;
    }
    return total;
  }
}

/** One model on one channel. */
interface Speed {
  latencyMs: number | null;
  measuredAt: number;
  /** Requests without a first byte yet, and the sum of their start times. */
  waiting: number;
  beganSum: number;
}

/** Adds a measurement to the smoothed latency. */
function measure(speed: Speed, tookMs: number, now: number): void {
  const age = now - speed.measuredAt;
  const share = Math.max(SMOOTHING, 1 - Math.exp(-age / DECAY_MS));
  speed.latencyMs = speed.latencyMs === null ? tookMs : speed.latencyMs + share * (tookMs - speed.latencyMs);
  speed.measuredAt = now;
}

/** One attempt, counted as waiting until its first byte. */
export class RunningAttempt {
  readonly #clock: Clock;
  readonly #speed: Speed;
  readonly #beganAt: number;
  #isWaiting = true;

  constructor(clock: Clock, speed: Speed) {
    this.#clock = clock;
    this.#speed = speed;
    this.#beganAt = clock.monotonic();
    speed.waiting += 1;
    speed.beganSum += this.#beganAt;
  }

  /** The first byte has arrived; its time is the newest latency. */
  answered(): void {
    const now = this.#clock.monotonic();
    if (this.#isWaiting) measure(this.#speed, now - this.#beganAt, now);
    this.ended();
  }

  /** The attempt has ended; later calls do nothing. */
  ended(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    const speed = this.#speed;
    speed.waiting -= 1;
    speed.beganSum = speed.waiting === 0 ? 0 : speed.beganSum - this.#beganAt;
  }
}

interface ChannelTraffic {
  speeds: Map<string, Speed>;
  requests: WindowCount;
  repeats: WindowCount;
}

export function createTraffic(clock: Clock): Traffic {
  const channels = new Map<string, ChannelTraffic>();
  /** Failed upstream calls with a granted repeat. */
  const granted = new WeakSet<object>();
  const second = (): number => Math.floor(clock.monotonic() / 1_000);

  function channelOf(id: string): ChannelTraffic {
    let channel = channels.get(id);
    if (channel === undefined) {
      channel = { speeds: new Map(), requests: new WindowCount(), repeats: new WindowCount() };
      channels.set(id, channel);
    }
    return channel;
  }

  return {
    latencyMs(channelId, model) {
      const speed = channels.get(channelId)?.speeds.get(model);
      if (speed === undefined) return null;
      if (speed.waiting === 0) return speed.latencyMs;
      const waitedMs = (clock.monotonic() - speed.beganSum / speed.waiting) / SLOW_WAIT_FACTOR;
      return Math.max(speed.latencyMs ?? 0, waitedMs);
    },

    begin(channelId, model, isRepeat) {
      const channel = channelOf(channelId);
      if (!isRepeat) channel.requests.add(second());
      const speed = channel.speeds.get(model) ?? { latencyMs: null, measuredAt: 0, waiting: 0, beganSum: 0 };
      channel.speeds.set(model, speed);
      return new RunningAttempt(clock, speed);
    },

    forget(channelId) {
      channels.delete(channelId);
    },

    takeRepeat(channelId, failedCall) {
      if (granted.has(failedCall)) return true;
      const { requests, repeats } = channelOf(channelId);
      const now = second();
      if (repeats.sum(now) >= Math.max(MIN_REPEATS_ALLOWED, requests.sum(now) * REPEAT_SHARE)) return false;
      repeats.add(now);
      granted.add(failedCall);
      return true;
    },
  };
}
