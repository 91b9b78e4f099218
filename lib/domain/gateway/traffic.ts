import type { Clock } from "../../ports/clock";

/** Load and speed of the channels, and the budget of second tries; one per process. */
export interface Traffic {
  /** (In flight + 1) × smoothed latency in milliseconds; lower is better. */
  score(channelId: string): number;
  /** Counts an attempt in. */
  begin(channelId: string): RunningAttempt;
  /** One call of the gateway; the retry budget is a share of these. */
  noteCall(): void;
  /** Takes one second try; false when the last 10 s had theirs. */
  takeRetry(): boolean;
}

export interface RunningAttempt {
  /** The first byte is there: its time is the channel's newest latency. */
  answered(): void;
  /** Counts the attempt out; once. */
  over(): void;
}

/** Weight of the newest latency in the smoothed one. */
const SMOOTHING = 0.2;
/** What a channel not yet measured counts as, in milliseconds: low, so that it gets its chance. */
const UNKNOWN_LATENCY_MS = 1;
const RETRY_SHARE = 0.1;
const RETRY_FLOOR = 10;
const RETRY_SECONDS = 10;

/** Sum of a count over the last `RETRY_SECONDS` seconds. */
function createWindowCount(): { add(second: number): void; sum(second: number): number } {
  const counts = new Array<number>(RETRY_SECONDS).fill(0);
  const seconds = new Array<number>(RETRY_SECONDS).fill(-1);
  return {
    add(second) {
      const at = second % RETRY_SECONDS;
      if (seconds[at] !== second) {
        seconds[at] = second;
        counts[at] = 0;
      }
      counts[at] = (counts[at] ?? 0) + 1;
    },
    sum(second) {
      let total = 0;
      for (let i = 0; i < RETRY_SECONDS; i++) {
        if ((seconds[i] ?? -1) > second - RETRY_SECONDS) total += counts[i] ?? 0;
      }
      return total;
    },
  };
}

export function createTraffic(clock: Clock): Traffic {
  const channels = new Map<string, { inFlight: number; latencyMs: number | null }>();
  const calls = createWindowCount();
  const retries = createWindowCount();
  const second = (): number => Math.floor(clock.monotonic() / 1_000);

  return {
    score(channelId) {
      const load = channels.get(channelId);
      if (load === undefined) return UNKNOWN_LATENCY_MS;
      return (load.inFlight + 1) * Math.max(load.latencyMs ?? UNKNOWN_LATENCY_MS, 0.001);
    },

    begin(channelId) {
      const load = channels.get(channelId) ?? { inFlight: 0, latencyMs: null };
      channels.set(channelId, load);
      load.inFlight += 1;
      const startedAt = clock.monotonic();
      return {
        answered() {
          const tookMs = clock.monotonic() - startedAt;
          load.latencyMs =
            load.latencyMs === null ? tookMs : load.latencyMs + SMOOTHING * (tookMs - load.latencyMs);
        },
        over() {
          load.inFlight -= 1;
        },
      };
    },

    noteCall: () => calls.add(second()),

    takeRetry() {
      const now = second();
      if (retries.sum(now) >= Math.max(RETRY_FLOOR, calls.sum(now) * RETRY_SHARE)) return false;
      retries.add(now);
      return true;
    },
  };
}
