import type { LiveEvent } from "../../console/live/watch";

/** Delay before a browser reconnects automatically. */
const RETRY_MS = 5_000;

const encoder = new TextEncoder();

function textOf(event: LiveEvent): string {
  switch (event.kind) {
    case "hello":
      return `retry: ${RETRY_MS}\nevent: hello\ndata: {}\n\n`;
    case "changed":
      return `event: changed\ndata: ${JSON.stringify({ topics: event.topics })}\n\n`;
    case "beat":
      return ": beat\n\n";
    case "ended":
      return `event: ended\ndata: ${JSON.stringify({ reason: event.reason })}\n\n`;
    default:
      return event satisfies never;
  }
}

/** Events as `text/event-stream`. Closing the byte stream closes the events, even before the first. */
export function eventStream(events: AsyncIterableIterator<LiveEvent>): AsyncIterableIterator<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const { value, done } = await events.next();
      return done ? { value: undefined, done: true } : { value: encoder.encode(textOf(value)), done: false };
    },
    async return() {
      await events.return?.();
      return { value: undefined, done: true };
    },
  };
}
