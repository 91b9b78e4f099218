import { Pool } from "undici";
import { hasCode } from "../../errors";
import type { ChannelRecord } from "../../ports/store";
import { type AllowList, mayConnect, parseAllowList } from "./allow-list";
import { createConnector } from "./connector";
import { failureOf, UpstreamFailure, unreachable } from "./failure";
import { checkHeaders, requestHeaders } from "./headers";
import { areReadersBehind } from "./reply-stream";
import type { UpstreamClientSettings, UpstreamReply, UpstreamRequest } from "./request";
import { createResolver, createSystemLookup, type Resolver } from "./resolver";
import { type ConnectionPool, type Prepared, send } from "./send";
import { sendWhole } from "./send-whole";
import { readUpstreamUrl } from "./upstream-url";

export interface UpstreamClient {
  /**
   * Throws AppError `upstream_*`, `invalid` (with the upstream's message about the request), `overloaded` (no file
   * descriptor is left), or the call's abort reason.
   */
  call(request: UpstreamRequest): Promise<UpstreamReply>;
  /**
   * Like `call`, for a reply that is only used when it is complete: resolves to its decoded bytes after the last one.
   */
  callWhole(request: UpstreamRequest): Promise<Uint8Array>;
  allowList(): AllowList;
  close(): Promise<void>;
}

const MAX_POOLS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than the 5 s after which common servers close a connection, so that no call meets a closing socket. */
const IDLE_SOCKET_MS = 4_000;
/**
 * A channel's connections are replaced after this, with a new name lookup. undici's `clientTtl` would read the clock
 * for every connection of the pool in every call.
 */
const POOL_MS = 300_000;
/**
 * Some upstreams close idle connections without announcing it, and requests sent on those are lost. Once a pool has
 * lost at least so many requests, and so large a share of all its requests, each of the channel's connections serves a
 * single request, for an hour (lib/DECISIONS.md).
 */
const MIN_LOST = 3;
const LOST_SHARE = 0.1;
const SINGLE_USE_MS = 3_600_000;

interface ChannelPool extends ConnectionPool {
  /** A different value needs a different pool. */
  fingerprint: string;
  /** Monotonic milliseconds until which calls use this pool. */
  until: number;
  /** Connections that were opened for a request. */
  opened: { count: number };
  requests: number;
  /**
   * Requests without a reply because their connection, which was reused, was closed. Requests lost at once count as
   * one.
   */
  lost: number;
  /** `requests` when the last loss was counted. */
  requestsAtLoss: number;
}

const isLossy = ({ isReused, lost, requests }: ChannelPool): boolean =>
  isReused && lost >= MIN_LOST && lost >= LOST_SHARE * requests;

/**
 * The parts that all calls of one channel share, with the values they were made from: a different value needs a new
 * route.
 */
interface Route {
  baseUrl: string;
  ca: string | undefined;
  allow: AllowList;
  connectMs: number;
  tlsMs: number;
  url: URL;
  /** The channel's own headers, checked. */
  headers: Record<string, string>;
  pool: ChannelPool;
}

/** Parses the allowed hosts again when their entries have changed. */
function followAllowList(allowed: () => readonly string[]): () => AllowList {
  let entries: readonly string[] = [];
  let list = parseAllowList(entries);
  return () => {
    const given = allowed();
    if (given.length === entries.length && given.every((entry, index) => entry === entries[index]))
      return list;
    entries = [...given];
    const fresh = parseAllowList(entries);
    if (fresh.fingerprint !== list.fingerprint) list = fresh;
    return list;
  };
}

/** One pool of keep-alive connections per channel. */
class ChannelPools {
  readonly #resolver: Resolver;
  readonly #pools = new Map<string, ChannelPool>();
  readonly #held = { bytes: 0 };

  constructor(
    private readonly settings: UpstreamClientSettings,
    private readonly allowList: () => AllowList,
  ) {
    this.#resolver = createResolver(settings.clock, settings.lookup ?? createSystemLookup());
  }

  /** False when the channel has another pool, or needs a new one. */
  isCurrent(channelId: string, pool: ChannelPool): boolean {
    const isFresh = this.settings.clock.monotonic() < pool.until && !isLossy(pool);
    return isFresh && this.#pools.get(channelId) === pool;
  }

  poolFor({ channel, ca }: UpstreamRequest, origin: string): ChannelPool {
    const { limits, clock } = this.settings;
    const connectMs = channel.timeouts.connectMs ?? limits.upstreamConnectMs;
    const tlsMs = limits.upstreamTlsMs;
    const connections = channel.concurrency;
    const { fingerprint: allowed } = this.allowList();
    const fingerprint = JSON.stringify([origin, connectMs, tlsMs, connections, ca, allowed]);
    const known = this.#pools.get(channel.id);
    const now = clock.monotonic();
    const isSame = known?.fingerprint === fingerprint;
    if (isSame && now < known.until && !isLossy(known)) return known;
    const isReused = !(isSame && isLossy(known));
    const opened = this.#open(origin, connections, { connectMs, tlsMs, ca });
    // Running requests finish on the old connections.
    this.#drop(channel.id);
    const until = now + (isReused ? POOL_MS : SINGLE_USE_MS);
    const made = { ...opened, fingerprint, until, isReused, requests: 0, lost: 0, requestsAtLoss: 0 };
    this.#pools.set(channel.id, made);
    const oldest = this.#pools.keys().next();
    if (this.#pools.size > MAX_POOLS && !oldest.done) this.#drop(oldest.value);
    return made;
  }

  async close(): Promise<void> {
    const open = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(open.map(({ pool }) => pool.destroy().catch(() => {})));
  }

  #drop(channelId: string): void {
    this.#pools
      .get(channelId)
      ?.pool.close()
      .catch(() => {});
    this.#pools.delete(channelId);
  }

  #open(
    origin: string,
    connections: number | null,
    limits: { connectMs: number; tlsMs: number; ca: string | undefined },
  ): Pick<ChannelPool, "pool" | "waiting" | "opened" | "held"> {
    const waiting = { count: 0 };
    const opened = { count: 0 };
    const connect = createConnector({
      ...limits,
      resolver: this.#resolver,
      mayConnect: (address, host, port) => mayConnect(address, host, port, this.allowList()),
      isWanted: () => waiting.count > 0,
      areReadersBehind: () => areReadersBehind(this.#held),
    });
    const pool = new Pool(origin, {
      connect(options, callback) {
        if (waiting.count > 0) opened.count += 1;
        connect(options, callback);
      },
      // null: one connection for each running call. A call that waited here for a connection could not fail over.
      connections,
      pipelining: 1,
      // undici's timeouts are off: ours are exact and know the call's deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_SOCKET_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    return { pool, waiting, opened, held: this.#held };
  }
}

/** The only way to an upstream: one pool of keep-alive connections per channel. Redirects are never followed. */
export function createUpstreamClient(settings: UpstreamClientSettings): UpstreamClient {
  const allowList = followAllowList(() => settings.allowed());
  const pools = new ChannelPools(settings, allowList);
  const routes = new WeakMap<ChannelRecord, Route>();

  /** Made once per version of a channel; URL, headers and the allow-list's decision do not change between its calls. */
  function routeFor(request: UpstreamRequest): Route {
    const { channel, baseUrl, ca } = request;
    const connectMs = channel.timeouts.connectMs ?? settings.limits.upstreamConnectMs;
    const tlsMs = settings.limits.upstreamTlsMs;
    const allow = allowList();
    const known = routes.get(channel);
    if (
      known !== undefined &&
      known.baseUrl === baseUrl &&
      known.ca === ca &&
      known.allow === allow &&
      known.connectMs === connectMs &&
      known.tlsMs === tlsMs &&
      pools.isCurrent(channel.id, known.pool)
    )
      return known;
    const { url, headers } = readTarget(request, allow);
    const pool = pools.poolFor(request, url.origin);
    const route = { baseUrl, ca, allow, connectMs, tlsMs, url, headers, pool };
    routes.set(channel, route);
    return route;
  }

  async function counted<Reply>(
    request: UpstreamRequest,
    sendPrepared: (...args: Parameters<typeof send>) => Promise<Reply>,
  ): Promise<Reply> {
    const route = routeFor(request);
    const before = countRequest(route.pool);
    try {
      return await sendPrepared(settings, route.pool, prepare(route, request), request);
    } catch (error) {
      countLoss(route.pool, before, error);
      throw error;
    }
  }

  return {
    allowList,
    call: (request) => counted(request, send),
    callWhole: (request) => counted(request, sendWhole),
    close: () => pools.close(),
  };
}

/** A request's number in its pool, and the connections opened before it. */
interface Counted {
  number: number;
  opened: number;
}

/** Counts a request for `isLossy`. */
function countRequest(pool: ChannelPool): Counted {
  pool.requests += 1;
  return { number: pool.requests, opened: pool.opened.count };
}

/**
 * Counts a lost request. It was sent on a reused connection if none was opened since it began. Requests that already
 * ran when a loss was counted belong to that loss: a restart of the upstream, for example, loses all of them.
 */
function countLoss(pool: ChannelPool, { number, opened }: Counted, error: unknown): void {
  if (pool.opened.count !== opened || number <= pool.requestsAtLoss) return;
  if (!hasCode(error, "upstream_error") || failureOf(error) !== "connection_lost") return;
  pool.requestsAtLoss = pool.requests;
  pool.lost += 1;
}

function prepare({ url, headers }: Route, request: UpstreamRequest): Prepared {
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
  { baseUrl, channel }: UpstreamRequest,
  allow: AllowList,
): { url: URL; headers: Record<string, string> } {
  try {
    return { url: readUpstreamUrl(baseUrl, allow), headers: checkHeaders(channel.headers) };
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    throw unreachable(new UpstreamFailure("address_refused"));
  }
}
