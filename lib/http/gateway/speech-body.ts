import type { SpeechCall } from "../../gateway/speech/synthesize-speech";

/**
 * A reply's body made from a call's events by `chunks`, which reads them with `next()` alone. Whatever ends the body
 * ends the call: its reader leaving (even before the first chunk), or an error while it is rendered or encoded.
 */
export function speechBody(
  call: SpeechCall,
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        return await source.next();
      } catch (error) {
        // Settles with this error unless the call has ended itself; throws it on either way.
        await call.events.throw?.(error);
        throw error;
      }
    },
    async return() {
      // The call first: a chunk that is being made must not hold it open.
      await call.events.return?.();
      source.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
}

/** Puts the chunk that was awaited before the status went out back in front. */
export async function startedBody(
  body: AsyncIterableIterator<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | null = await body.next();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const held = first;
        first = null;
        return held ? Promise.resolve(held) : body.next();
      },
      return: async () => (await body.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** The audio alone, as the encoders take it; `onEnd` gets the call's last event, the one with its usage. */
export function audioOf(
  call: SpeechCall,
  onEnd: (end: SpeechEnd) => void = () => {},
): AsyncIterableIterator<Uint8Array> {
  // Not a generator: while its reader stalls, one would hold on to what it gave last.
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const { value, done } = await call.events.next();
      if (done) return { done: true, value: undefined };
      if (value.type === "audio") return { done: false, value: value.pcm };
      onEnd(value);
      return { done: true, value: undefined };
    },
  };
}

export type SpeechEnd = Extract<SpokenEventOf<SpeechCall>, { type: "end" }>;
type SpokenEventOf<Call extends SpeechCall> =
  Call["events"] extends AsyncIterableIterator<infer Event> ? Event : never;
