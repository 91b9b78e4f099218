import { hasCode, isAppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { Webhook, WebhookFailure } from "../ports/webhook";
import type { UpstreamClient } from "./outbound/create";
import { failureOf } from "./outbound/failure";
import { connectionTo } from "./outbound/request";
import { readUpstreamUrl } from "./outbound/upstream-url";

const MAX_REPLY_BYTES = 64 * 1024;

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
export function createWebhook(client: UpstreamClient, clock: Clock): Webhook {
  return {
    refusalOf(url) {
      const { origin, username, password } = new URL(url);
      if (username !== "" || password !== "")
        return "Must not have a user name or password: a receiver's secret belongs in the path.";
      try {
        readUpstreamUrl(origin, client.allowList());
        return null;
      } catch (error) {
        if (!hasCode(error, "invalid")) throw error;
        return "Must be a public https:// address with a usual port; PATCHBAY_WEBHOOK_ALLOW can allow a private one or plain http.";
      }
    },
    async post({ url, headers, body, timeoutMs }) {
      if (!URL.canParse(url)) return "name_unknown";
      const { origin, pathname, search } = new URL(url);
      try {
        const reply = await client.call({
          channel: connectionTo("webhook", `webhook ${origin}`, origin, {
            connectMs: timeoutMs,
            idleMs: timeoutMs,
            totalMs: timeoutMs,
          }),
          baseUrl: origin,
          method: "POST",
          path: `${pathname}${search}`,
          headers,
          body,
          maxBytes: MAX_REPLY_BYTES,
          mayBeEmpty: true,
          readRefusal: () => ({ words: null, about: null }),
          key: null,
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
        return webhookFailureOf(error);
      }
    },
  };
}
