import { watchChanges } from "../../../console/live/watch";
import { eventStream } from "../../console/event-stream";
import { consoleRoute } from "../../core/route";

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
