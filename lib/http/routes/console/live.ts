import { type LiveEvent, watchChanges } from "../../../console/live/watch";
import { consoleRoute } from "../../core/route";

/** Delay before a browser reconnects automatically. */
const RETRY_MS = 5_000;

const encoder = new TextEncoder();

function textOf(event: LiveEvent): string {
  switch (event.kind) {
    case "hello":
      return `retry: ${RETRY_MS}\nevent: hello\ndata: ${JSON.stringify({ user_id: event.userId })}\n\n`;
    case "changed":
      return `event: changed\ndata: ${JSON.stringify({ topics: event.topics })}\n\n`;
    case "beat":
      // Not an SSE comment, which scripts never see. The empty `data` line is needed: without one an event is not
      // dispatched.
      return "event: beat\ndata:\n\n";
    case "ended":
      return `event: ended\ndata: ${JSON.stringify({ reason: event.reason })}\n\n`;
    default:
      return event satisfies never;
  }
}

/** Events as `text/event-stream`. Closing the byte stream closes the events, even before the first. */
function eventStream(events: AsyncIterableIterator<LiveEvent>): AsyncIterableIterator<Uint8Array> {
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

export const LIVE_ROUTES = [
  consoleRoute("GET /api/events", {
    auth: "session",
    summary: "Server-sent events that name what has changed (`changed`: {topics}), never the change itself",
    handle: async (ctx, { request }) => ({
      data: null,
      stream: {
        contentType: "text/event-stream; charset=utf-8",
        body: eventStream(watchChanges(ctx, request.signal)),
      },
      // Proxies must not buffer, compress or change it.
      headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" },
    }),
  }),
];
