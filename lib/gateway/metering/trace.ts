import { type ErrorCode, isAppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { AttemptTrace, CallTrace } from "../../ports/store";

/** Records the attempts of one call; created when the call is admitted. */
export interface TraceRecorder {
  attempt(channelId: string, keyId: string | null): void;
  /** Records the upstream's first byte of the running attempt. */
  answered(): void;
  failed(error: unknown): void;
  /** Ends the trace; an attempt that is still running ends with it and gets its error. */
  end(error: ErrorCode | null): CallTrace;
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
  const close = (error: string, upstreamStatus: number | null): void => {
    if (running === null) return;
    running.endedMs = since(clock.monotonic());
    running.error = error;
    running.upstreamStatus = upstreamStatus;
    running = null;
  };
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
      };
      attempts.push(running);
    },

    answered() {
      if (running !== null) running.firstByteMs = since(clock.monotonic());
    },

    failed(error) {
      if (isAppError(error)) close(error.code, error.details.upstreamStatus ?? null);
      else close("internal", null);
    },

    end(error) {
      const settledMs = since(clock.monotonic());
      if (running !== null) {
        running.endedMs = settledMs;
        running.error = error;
      }
      return { admittedMs, settledMs, attempts };
    },
  };
}
