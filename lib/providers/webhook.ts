import { isAppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { ChannelRecord } from "../ports/store";
import type { Webhook, WebhookFailure } from "../ports/webhook";
import type { Outbound } from "./outbound/create";
import { failureOf } from "./outbound/failure";

const MOST_REPLY_BYTES = 64 * 1024;

/** Connection settings in place of a channel's; each origin has its own connections. */
function channelFor(origin: string, timeoutMs: number): ChannelRecord {
  return {
    id: `webhook ${origin}`,
    name: "",
    provider: "webhook",
    baseUrl: origin,
    keys: [],
    models: [],
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: 2,
    timeouts: { connectMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
    headers: {},
    options: {},
    enabled: true,
    embedded: false,
    createdAt: 0,
    version: 1,
  };
}

function webhookFailureOf(error: unknown): WebhookFailure {
  const failure = failureOf(error);
  if (failure !== null) return failure;
  if (!isAppError(error)) throw error;
  if (error.code === "upstream_timeout" && error.details.upstreamStatus === undefined) return "timeout";
  if (error.code === "upstream_redirect") return "redirect";
  const { upstreamStatus } = error.details;
  return upstreamStatus === undefined ? "failed" : `status_${upstreamStatus}`;
}

/** Posts through the guarded client: private addresses only where they are allowed, no redirects, with a time limit. */
export function createWebhook(outbound: Outbound, clock: Clock): Webhook {
  return {
    async post({ url, headers, body, timeoutMs }) {
      if (!URL.canParse(url)) return "name_unknown";
      const { origin, pathname, search } = new URL(url);
      try {
        const reply = await outbound.call({
          channel: channelFor(origin, timeoutMs),
          baseUrl: origin,
          method: "POST",
          path: `${pathname}${search}`,
          headers,
          body,
          maxBytes: MOST_REPLY_BYTES,
          readRefusal: () => ({ words: null, about: null }),
          secrets: [],
          options: {
            signal: AbortSignal.timeout(timeoutMs),
            requestId: "",
            firstByteBy: clock.monotonic() + timeoutMs,
          },
        });
        // The reply's body is not needed.
        reply.body.close();
        return null;
      } catch (error) {
        if (isAppError(error) && error.code === "caller_left") return "timeout";
        return webhookFailureOf(error);
      }
    },
  };
}
