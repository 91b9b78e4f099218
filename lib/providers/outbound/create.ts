import { Pool } from "undici";
import { hasCode } from "../../errors";
import { type AllowList, mayConnect, parseAllowList } from "./allow-list";
import { createConnector } from "./connector";
import { UpstreamFailure, unreachable } from "./failure";
import { requestHeaders } from "./headers";
import type { OutboundRequest, OutboundSettings, UpstreamReply } from "./request";
import { createResolver, createSystemLookup } from "./resolver";
import { type Line, send } from "./send";
import { readUpstreamUrl } from "./upstream-url";

export interface Outbound {
  /**
   * Throws AppError `upstream_*`, `invalid` (with the upstream's message about the request), or the call's abort
   * reason.
   */
  call(request: OutboundRequest): Promise<UpstreamReply>;
  allowList(): AllowList;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
const MOST_POOLS = 1_000;
const MOST_HEADER_BYTES = 16 * 1024;
/** Shorter than the 5 s after which common servers close a connection, so that no call meets a closing socket. */
const IDLE_SOCKET_MS = 4_000;
/** A connection is replaced after this, with a new name lookup. */
const CONNECTION_MS = 300_000;

interface ChannelPool extends Line {
  /** A different value needs a different pool. */
  fingerprint: string;
}

/** The only way to an upstream: one pool of keep-alive connections per channel. Redirects are never followed. */
export function createOutbound(settings: OutboundSettings): Outbound {
  const resolver = createResolver(settings.clock, settings.lookup ?? createSystemLookup());
  const pools = new Map<string, ChannelPool>();
  let allow = parseAllowList([]);

  function allowList(): AllowList {
    const entries = settings.allowed();
    const fresh = [...entries].sort().join(" ");
    if (fresh !== allow.fingerprint) allow = parseAllowList(entries);
    return allow;
  }

  function poolFor({ channel, ca }: OutboundRequest, origin: string): ChannelPool {
    const connectMs = channel.timeouts.connectMs ?? settings.limits.upstreamConnectMs;
    const connections = channel.concurrency ?? MOST_CONNECTIONS;
    const tlsMs = settings.limits.upstreamTlsMs;
    const fingerprint = JSON.stringify([origin, connectMs, tlsMs, connections, ca, allowList().fingerprint]);
    const known = pools.get(channel.id);
    if (known?.fingerprint === fingerprint) return known;
    const waiting = { count: 0 };
    const connect = createConnector({
      resolver,
      mayConnect: (address, host, port) => mayConnect(address, host, port, allowList()),
      connectMs,
      tlsMs,
      isWanted: () => waiting.count > 0,
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
      clientTtl: CONNECTION_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    // Running requests finish on the old connections.
    known?.pool.close().catch(() => {});
    pools.delete(channel.id);
    const made = { fingerprint, pool, waiting };
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
      const { url, headers } = prepare(request, allowList());
      return send(settings, poolFor(request, url.origin), url, headers, request);
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(({ pool }) => pool.destroy().catch(() => {})));
    },
  };
}

/** What was valid when the channel was saved may have become invalid; that is the channel's error, not the caller's. */
function prepare(request: OutboundRequest, allow: AllowList): { url: URL; headers: Record<string, string> } {
  try {
    return {
      url: readUpstreamUrl(request.baseUrl, allow),
      headers: requestHeaders(request.headers, request.channel.headers, request.body !== undefined),
    };
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    throw unreachable(new UpstreamFailure("address_refused"));
  }
}
