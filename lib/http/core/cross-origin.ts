import type { ConsoleServices } from "../../console/context";
import type { Inbound, Outbound } from "./exchange";

/**
 * CORS for the gateway: only the origins in the settings, compared exactly, and only on `/v1` and
 * `/v1beta`. Cookies are ignored there, so credentials are never allowed.
 */

const GATEWAY = /^\/v1(?:beta)?(?:\/|$)/;
/** Response headers that a page may read. */
const EXPOSED_HEADERS = /^(?:x-patchbay-|x-ratelimit-|ratelimit-|retry-after|x-should-retry)/;
/** A list of header names, as a preflight sends it. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_LIST_LENGTH = 2_048;
const PREFLIGHT_SECONDS = "600";

function isPreflight(request: Inbound, reply: Outbound): boolean {
  const asks = request.headers.has("access-control-request-method");
  return request.method === "OPTIONS" && reply.status === 204 && asks;
}

/** Any header may be sent: unknown ones are ignored, and SDKs send a dozen that describe themselves. */
function preflightHeaders(request: Inbound, reply: Outbound): Record<string, string> {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const isList = asked.length <= MAX_LIST_LENGTH && HEADER_NAMES.test(asked);
  return {
    "access-control-allow-methods": [reply.headers.allow ?? ""].flat().join(", "),
    ...(isList ? { "access-control-allow-headers": asked } : {}),
    "access-control-max-age": PREFLIGHT_SECONDS,
    vary: "Origin, Access-Control-Request-Headers",
  };
}

function sharedHeaders(request: Inbound, reply: Outbound): Record<string, string> {
  if (isPreflight(request, reply)) return preflightHeaders(request, reply);
  const exposed = Object.keys(reply.headers).filter((name) => EXPOSED_HEADERS.test(name));
  return { "access-control-expose-headers": ["x-request-id", ...exposed].join(", "), vary: "Origin" };
}

/** Adds the CORS headers for an allowed origin; returns the reply unchanged when no origin is configured. */
export async function addCorsHeaders(
  services: () => Promise<Pick<ConsoleServices, "instance">>,
  request: Inbound,
  reply: Outbound,
): Promise<Outbound> {
  if (!GATEWAY.test(request.path)) return reply;
  // When the services failed to start, the reply already reports it.
  const origins = (await services().catch(() => null))?.instance.corsOrigins;
  if (origins === undefined || origins.size === 0) return reply;
  const origin = request.headers.get("origin");
  if (origin === undefined || !origins.has(origin))
    return { ...reply, headers: { ...reply.headers, vary: "Origin" } };
  return {
    ...reply,
    headers: {
      ...reply.headers,
      "access-control-allow-origin": origin,
      ...sharedHeaders(request, reply),
    },
  };
}
