import { AppError } from "../../errors";
import type { CallOptions } from "../../ports/speech-model";
import { StopSource, stopReason } from "../../ports/stop-signal";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import type { GatewayContext } from "../context";

/**
 * Watches what ends an attempt from outside: calls `stop` when the request's signal aborts or the first-byte time is
 * over.
 */
function boundsOf(ctx: GatewayContext, firstByteMs: number, stop: (error: AppError) => void) {
  const { clock, instance } = ctx.services;
  const startedAt = clock.monotonic();
  let firstByteBy = startedAt + firstByteMs;
  let timer: NodeJS.Timeout | undefined;
  let isRepeat = false;
  const onLeave = (): void => stop(stopReason(ctx.signal));
  const onLate = (): void => {
    const what = isRepeat ? "failed at a batch and did not answer its repeat" : "did not respond";
    const words = `The channel ${what} within ${Math.round(firstByteBy - startedAt)} ms.`;
    stop(new AppError("upstream_timeout", words));
  };
  const clearTimer = (): void => clearTimeout(timer);
  const unbind = (): void => {
    clearTimer();
    ctx.signal.removeEventListener("abort", onLeave);
  };
  /** Starts to watch; calls `stop` at once if the attempt has to end already. */
  const bind = (): void => {
    unbind();
    const leftMs = firstByteBy - clock.monotonic();
    if (ctx.signal.aborted) onLeave();
    else if (leftMs <= 0) onLate();
    else {
      timer = setTimeout(onLate, leftMs);
      ctx.signal.addEventListener("abort", onLeave, { once: true });
    }
  };
  /** Extends the first-byte time by `ms`, at most to the end of the call's total time. */
  const extend = (ms: number): void => {
    const { callMs } = instance.limits;
    firstByteBy = Math.max(firstByteBy, Math.min(firstByteBy + ms, ctx.receivedAt + callMs));
    bind();
  };
  const bindRepeat = (): void => {
    isRepeat = true;
    bind();
  };
  return { firstByteBy: () => firstByteBy, clearTimer, unbind, bind, bindRepeat, extend };
}

/**
 * Runs one attempt until it returns a value or throws, its first-byte time is over (`upstream_timeout`), or the caller
 * leaves or the server stops (the signal's reason), whichever is first. Aborts the attempt's signal when the time is
 * over, the caller leaves or the server stops. After a value the signal stays bound to the caller, since a stream
 * continues under it. Between `onReplied` and `onRepeat` only the provider can end the attempt. `extendFirstByte`
 * extends the first-byte time, at most to the end of the call's total time, and calls `onExtended`.
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
    const bounds = boundsOf(ctx, firstByteMs, (error) => {
      bounds.clearTimer();
      signal.abort(error);
      reject(error);
    });
    bounds.bind();
    if (signal.aborted) return;
    const options: CallOptions = {
      signal,
      requestId: ctx.requestId,
      ownerId: ctx.caller.owner.id,
      traceparent: ctx.trace?.nextAttempt(),
      firstByteBy: bounds.firstByteBy(),
      extendFirstByte(ms) {
        bounds.extend(ms);
        onExtended();
        return bounds.firstByteBy();
      },
      progress,
      onReplied: bounds.unbind,
      onRepeat() {
        if (!signal.aborted) bounds.bindRepeat();
      },
    };
    // The wrapper turns a synchronous throw of the provider into a rejection.
    Promise.resolve()
      .then(() => attempt(options))
      .then(
        (value) => {
          bounds.clearTimer();
          resolve(value);
        },
        (error: unknown) => {
          bounds.unbind();
          reject(error);
        },
      );
  });
}
