import type { AppError } from "../../errors";
import type { GatewayContext } from "../../gateway/context";
import type { SpokenEvent } from "../../gateway/speech/speech-stream";
import type { SpeechCall } from "../../gateway/speech/synthesize-speech";
import type { Outbound } from "../core/exchange";
import { appErrorOf } from "../core/render-error";

/**
 * A reply body of `chunks`, which are rendered from a call's events. The call always ends with the body, also when the
 * reader leaves (even before the first chunk), or when rendering or encoding throws. `chunks` must read the events with
 * `next()` only.
 */
export function speechBody(
  ctx: GatewayContext,
  call: SpeechCall,
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  let hasBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const chunk = await source.next();
        hasBegun = true;
        return chunk;
      } catch (error) {
        if (hasBegun) logStreamFailure(ctx, call, error);
        // Settles the call with this error unless it has already ended, and rethrows it.
        await call.events.throw?.(error);
        throw error;
      }
    },
    async return() {
      // The call is ended first: a chunk in progress must not keep it open.
      await call.events.return?.();
      source.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
}

/**
 * The reply that `render` makes of a call. A throw ends the call with that error, since its events would never be read.
 */
export async function endCallOnThrow(
  call: SpeechCall,
  render: () => Outbound | Promise<Outbound>,
): Promise<Outbound> {
  try {
    return await render();
  } catch (error) {
    await call.events.throw?.(error);
    throw error;
  }
}

/** Awaits the first chunk, so that its errors still set the status, and returns the whole body. */
export async function awaitFirstChunk(
  body: AsyncIterableIterator<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | null = await body.next();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const started = first;
        first = null;
        return started ? Promise.resolve(started) : body.next();
      },
      return: async () => (await body.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

const loggedCalls = new WeakSet<Pick<SpeechCall, "logFields">>();

/**
 * Converts an error of a reply whose status was already sent, and logs it unless an error of this call was logged
 * before: a stream whose error became its last event throws it once more. If the error is rethrown, the adapter also
 * logs that the reply was cut, without the error code.
 */
export function logStreamFailure(
  ctx: GatewayContext,
  call: Pick<SpeechCall, "logFields">,
  thrown: unknown,
): AppError {
  const error = appErrorOf(thrown);
  if (error.code !== "caller_left" && !loggedCalls.has(call)) {
    loggedCalls.add(call);
    const { cause } = error;
    ctx.services.log.warn("stream_failed", {
      requestId: ctx.requestId,
      traceId: ctx.trace?.traceId,
      ...call.logFields(),
      code: error.code,
      cause: cause instanceof Error ? (cause.stack ?? cause.message) : undefined,
    });
  }
  return error;
}

/** The audio of a call for the encoders; `onEnd` gets its last event, which has the usage. */
export function audioOf(
  call: SpeechCall,
  onEnd: (end: SpeechEnd) => void = () => {},
): AsyncIterableIterator<Uint8Array> {
  // Not a generator, which would keep its last chunk in memory while the reader stalls.
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const { value, done } = await call.events.next();
      if (done) return { done: true, value: undefined };
      if (value.type === "audio") return { done: false, value: value.pcm };
      if (value.type === "base64") throw new TypeError("base64 where samples are needed");
      onEnd(value);
      return { done: true, value: undefined };
    },
  };
}

export type SpeechEnd = Extract<SpokenEvent, { type: "end" }>;
