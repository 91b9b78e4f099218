import type { ConsoleServices } from "../../console/context";
import type { Inbound, Outbound } from "./exchange";

/**
 * Who of the web may call the gateway from a page (SECURITY CS-2): the origins of the settings, each as it is written,
 * on `/v1` and `/v1beta` alone. Cookies are never taken there, so credentials are never allowed.
 */

const GATEWAY = /^\/v1(?:beta)?(?:\/|$)/;
/** What a program wants to read of a reply besides its body. */
const TOLD = /^(?:x-patchbay-|x-ratelimit-|ratelimit-|retry-after|x-should-retry)/;
/** Names of headers, as a preflight lists them. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const LONGEST_LIST = 2_048;
const PREFLIGHT_SECONDS = "600";

function joined(reply: Outbound): string {
  const already = reply.headers.vary;
  return already === undefined ? "Origin" : `${[already].flat().join(", ")}, Origin`;
}

function isPreflight(request: Inbound, reply: Outbound): boolean {
  const asks = request.headers.has("access-control-request-method");
  return request.method === "OPTIONS" && reply.status === 204 && asks;
}

/** Any header may be sent: what is not known is not read, and SDKs tell a dozen about themselves. */
function preflightHeaders(request: Inbound, reply: Outbound): Record<string, string> {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const isList = asked.length <= LONGEST_LIST && HEADER_NAMES.test(asked);
  return {
    "access-control-allow-methods": [reply.headers.allow ?? ""].flat().join(", "),
    ...(isList ? { "access-control-allow-headers": asked } : {}),
    "access-control-max-age": PREFLIGHT_SECONDS,
    vary: `${joined(reply)}, Access-Control-Request-Headers`,
  };
}

function sharedHeaders(request: Inbound, reply: Outbound): Record<string, string> {
  if (isPreflight(request, reply)) return preflightHeaders(request, reply);
  const told = Object.keys(reply.headers).filter((name) => TOLD.test(name));
  return { "access-control-expose-headers": ["x-request-id", ...told].join(", "), vary: joined(reply) };
}

/** The reply with what lets a listed origin's page read it; untouched where no origin is listed. */
export async function shareReply(
  services: () => Promise<Pick<ConsoleServices, "instance">>,
  request: Inbound,
  reply: Outbound,
): Promise<Outbound> {
  if (!GATEWAY.test(request.path)) return reply;
  // ConsoleServices that cannot be had were told in the reply.
  const origins = (await services().catch(() => null))?.instance.corsOrigins;
  if (origins === undefined || origins.size === 0) return reply;
  const origin = request.headers.get("origin");
  if (origin === undefined || !origins.has(origin))
    return { ...reply, headers: { ...reply.headers, vary: joined(reply) } };
  return {
    ...reply,
    headers: {
      ...reply.headers,
      "access-control-allow-origin": origin,
      ...sharedHeaders(request, reply),
    },
  };
}
