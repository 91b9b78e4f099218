import { Pool } from "undici";
import { hasCode } from "../../errors";
import type { ChannelRecord } from "../../ports/store";
import { type AllowList, mayConnect, parseAllowList } from "./allow-list";
import { createConnector } from "./connector";
import { UpstreamFailure, unreachable } from "./failure";
import { checkHeaders, requestHeaders } from "./headers";
import { areReadersBehind } from "./reply-stream";
import type { OutboundRequest, OutboundSettings, UpstreamReply } from "./request";
import { createResolver, createSystemLookup } from "./resolver";
import { type Line, type Prepared, send } from "./send";
import { sendWhole, type WholeUpstreamReply } from "./send-whole";
import { readUpstreamUrl } from "./upstream-url";

export interface Outbound {
  /**
   * Throws AppError `upstream_*`, `invalid` (with the upstream's message about the request), or the call's abort
   * reason.
   */
  call(request: OutboundRequest): Promise<UpstreamReply>;
  /** The same for a reply that is only used when it is complete: returns after its last byte. */
  callWhole(request: OutboundRequest): Promise<WholeUpstreamReply>;
  allowList(): AllowList;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
const MOST_POOLS = 1_000;
const MOST_HEADER_BYTES = 16 * 1024;
/** Shorter than the 5 s after which common servers close a connection, so that no call meets a closing socket. */
const IDLE_SOCKET_MS = 4_000;
/**
 * A channel's connections are replaced after this, with a new name lookup. undici's `clientTtl` would ask the clock about
 * every connection of the pool in every call.
 */
const POOL_MS = 300_000;

interface ChannelPool extends Line {
  /** A different value needs a different pool. */
  fingerprint: string;
  /** Monotonic milliseconds until which calls use it. */
  until: number;
}

/** What calls of one channel have in common, and what it was made from: another value needs a new one. */
interface Route {
  baseUrl: string;
  ca: string | undefined;
  allow: AllowList;
  connectMs: number;
  tlsMs: number;
  url: URL;
  /** The channel's own headers, checked. */
  headers: Record<string, string>;
  line: ChannelPool;
}

/** The only way to an upstream: one pool of keep-alive connections per channel. Redirects are never followed. */
export function createOutbound(settings: OutboundSettings): Outbound {
  const resolver = createResolver(settings.clock, settings.lookup ?? createSystemLookup());
  const pools = new Map<string, ChannelPool>();
  const routes = new WeakMap<ChannelRecord, Route>();
  const held = { bytes: 0 };
  let allow = parseAllowList([]);
  /** The entries that `allow` was made from. */
  let entries: readonly string[] = [];

  function allowList(): AllowList {
    const given = settings.allowed();
    if (given.length === entries.length && given.every((entry, index) => entry === entries[index]))
      return allow;
    entries = [...given];
    const fresh = parseAllowList(entries);
    if (fresh.fingerprint !== allow.fingerprint) allow = fresh;
    return allow;
  }

  /** Made once per version of a channel; URL, headers and the allow-list's decision do not change between its calls. */
  function routeFor(request: OutboundRequest): Route {
    const { channel, baseUrl, ca } = request;
    const connectMs = channel.timeouts.connectMs ?? settings.limits.upstreamConnectMs;
    const tlsMs = settings.limits.upstreamTlsMs;
    const list = allowList();
    const known = routes.get(channel);
    if (
      known !== undefined &&
      known.baseUrl === baseUrl &&
      known.ca === ca &&
      known.allow === list &&
      known.connectMs === connectMs &&
      known.tlsMs === tlsMs &&
      settings.clock.monotonic() < known.line.until &&
      pools.get(channel.id) === known.line
    )
      return known;
    const { url, headers } = readTarget(request, list);
    const line = poolFor(request, url.origin);
    const route = { baseUrl, ca, allow: list, connectMs, tlsMs, url, headers, line };
    routes.set(channel, route);
    return route;
  }

  function poolFor({ channel, ca }: OutboundRequest, origin: string): ChannelPool {
    const connectMs = channel.timeouts.connectMs ?? settings.limits.upstreamConnectMs;
    const connections = channel.concurrency ?? MOST_CONNECTIONS;
    const tlsMs = settings.limits.upstreamTlsMs;
    const fingerprint = JSON.stringify([origin, connectMs, tlsMs, connections, ca, allowList().fingerprint]);
    const known = pools.get(channel.id);
    const now = settings.clock.monotonic();
    if (known?.fingerprint === fingerprint && now < known.until) return known;
    const waiting = { count: 0 };
    const connect = createConnector({
      resolver,
      mayConnect: (address, host, port) => mayConnect(address, host, port, allowList()),
      connectMs,
      tlsMs,
      isWanted: () => waiting.count > 0,
      areReadersBehind: () => areReadersBehind(held),
      ca,
    });
    const pool = new Pool(origin, {
      connect,
      connections: Math.min(connections, MOST_CONNECTIONS),
      pipelining: 1,
      // Our own timeouts are exact and know the call's deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_SOCKET_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    // Running requests finish on the old connections.
    known?.pool.close().catch(() => {});
    pools.delete(channel.id);
    const made = { fingerprint, until: now + POOL_MS, pool, waiting, held };
    pools.set(channel.id, made);
    const oldest = pools.entries().next();
    if (pools.size > MOST_POOLS && !oldest.done) {
      oldest.value[1].pool.close().catch(() => {});
      pools.delete(oldest.value[0]);
    }
    return made;
  }

  return {
    allowList,
    async call(request) {
      const route = routeFor(request);
      return send(settings, route.line, prepare(route, request), request);
    },
    async callWhole(request) {
      const route = routeFor(request);
      return sendWhole(settings, route.line, prepare(route, request), request);
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(({ pool }) => pool.destroy().catch(() => {})));
    },
  };
}

function prepare({ url, headers }: Route, request: OutboundRequest): Prepared {
  return {
    url,
    path: `${url.pathname === "/" ? "" : url.pathname}${request.path}`,
    headers: requestHeaders(
      request.headers,
      headers,
      request.body !== undefined,
      request.options.traceparent,
    ),
  };
}

/** What was valid when the channel was saved may have become invalid; that is the channel's error, not the caller's. */
function readTarget(
  { baseUrl, channel }: OutboundRequest,
  allow: AllowList,
): { url: URL; headers: Record<string, string> } {
  try {
    return { url: readUpstreamUrl(baseUrl, allow), headers: checkHeaders(channel.headers) };
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    throw unreachable(new UpstreamFailure("address_refused"));
  }
}
