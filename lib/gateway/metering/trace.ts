import { type ErrorCode, isAppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { AttemptTrace, CallTrace, SkippedChannel } from "../../ports/store";
import { attemptMessage } from "./outcome";

/** Records the attempts of one call; created when the call is admitted. */
export interface TraceRecorder {
  attempt(channelId: string, keyId: string | null): void;
  /** Records the upstream's first byte of the running attempt. */
  answered(): void;
  failed(error: unknown): void;
  skipped(channels: readonly SkippedChannel[]): void;
  /** Ends the trace; an attempt that is still running ends with it and gets its error and message. */
  end(error: ErrorCode | null, message: string | null): CallTrace;
}

/** Calls of the built-in engines take about a tenth of a millisecond. */
function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

export function startTrace(clock: Clock, receivedAt: number): TraceRecorder {
  const since = (at: number): number => tenths(at - receivedAt);
  const admittedMs = since(clock.monotonic());
  const attempts: AttemptTrace[] = [];
  let running: AttemptTrace | null = null;
  let skipped: SkippedChannel[] = [];
  return {
    attempt(channelId, keyId) {
      running = {
        channelId,
        keyId,
        startedMs: since(clock.monotonic()),
        firstByteMs: null,
        endedMs: null,
        error: null,
        upstreamStatus: null,
        message: null,
      };
      attempts.push(running);
    },

    answered() {
      if (running !== null) running.firstByteMs = since(clock.monotonic());
    },

    failed(error) {
      if (running === null) return;
      running.endedMs = since(clock.monotonic());
      running.error = isAppError(error) ? error.code : "internal";
      running.upstreamStatus = isAppError(error) ? (error.details.upstreamStatus ?? null) : null;
      running.message = attemptMessage(error);
      running = null;
    },

    skipped(channels) {
      skipped = channels.filter(({ channelId }) => attempts.every((one) => one.channelId !== channelId));
    },

    end(error, message) {
      const settledMs = since(clock.monotonic());
      if (running !== null) {
        running.endedMs = settledMs;
        running.error = error;
        running.message = message;
      }
      return { admittedMs, settledMs, attempts, ...(skipped.length > 0 ? { skipped } : {}) };
    },
  };
}
