import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError } from "../../errors";
import type { CallOptions } from "../../ports/speech-model";
import { StopSource, stopReason } from "../../ports/stop-signal";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import type { GatewayContext } from "../context";

/**
 * Runs one attempt until it returns a value, its first-byte time is over (`upstream_timeout`), the caller leaves or the
 * server stops (the signal's reason), whichever is first. Aborts the attempt's signal in all cases but the first; the
 * signal stays bound to the caller afterwards, since a stream continues under it. After `onReplied` only the provider
 * ends the attempt. `extendFirstByte` moves the end at most to that of the call's total time, and calls `onExtended`.
 */
export function runAttempt<T>(
  ctx: GatewayContext,
  firstByteMs: number,
  progress: UpstreamProgress,
  attempt: (options: CallOptions) => Promise<T>,
  onExtended: () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const signal = new StopSource();
    const stop = (error: AppError): void => {
      clearTimeout(timer);
      signal.abort(error);
      reject(error);
    };
    const onLeave = (): void => stop(stopReason(ctx.signal));
    const { clock, instance } = ctx.services;
    const startedAt = clock.monotonic();
    const onLate = (ms: number): NodeJS.Timeout =>
      setTimeout(
        () =>
          stop(new AppError("upstream_timeout", `The channel did not respond within ${Math.round(ms)} ms.`)),
        ms,
      );
    let timer = onLate(firstByteMs);
    if (ctx.signal.aborted) {
      onLeave();
      return;
    }
    ctx.signal.addEventListener("abort", onLeave, { once: true });
    const options: CallOptions = {
      signal,
      requestId: ctx.requestId,
      ownerId: ctx.caller.owner.id,
      traceparent: ctx.trace?.nextAttempt(),
      firstByteBy: startedAt + firstByteMs,
      extendFirstByte(ms) {
        const { callMs } = instance.limits ?? DEFAULT_LIMITS;
        const leftMs = Math.max(firstByteMs, ctx.receivedAt + callMs - startedAt);
        const extendedMs = Math.min(firstByteMs + ms, leftMs);
        clearTimeout(timer);
        timer = onLate(extendedMs);
        onExtended();
        return startedAt + extendedMs;
      },
      progress,
      onReplied() {
        clearTimeout(timer);
        ctx.signal.removeEventListener("abort", onLeave);
      },
    };
    // The wrapper turns a synchronous throw of the provider into a rejection.
    Promise.resolve()
      .then(() => attempt(options))
      .then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(timer);
          ctx.signal.removeEventListener("abort", onLeave);
          reject(error);
        },
      );
  });
}
