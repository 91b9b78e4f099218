import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { Limits } from "../../contracts/limits";
import { type AppError, hasCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { type AllowList, mayConnect, parseAllowList } from "./allow-list";
import { collect, readBody, type UpstreamBody } from "./body";
import { createConnector } from "./connector";
import { abortReason, connectionError, tooSlow, UpstreamFault, unreachable } from "./fault";
import { requestHeaders } from "./headers";
import { type ReadRefusal, refusalError } from "./refusal";
import { createResolver, createSystemLookup, type Lookup } from "./resolver";
import { readUpstreamUrl } from "./upstream-url";

export interface OutboundSettings {
  clock: Clock;
  limits: Pick<Limits, "upstreamConnectMs" | "upstreamTlsMs" | "idleMs" | "callMs">;
  /** `host:port`, hosts, addresses and CIDRs besides the public internet; asked at every call. */
  allowedUpstreams(): readonly string[];
  /** For tests; the system's resolvers otherwise. */
  lookup?: Lookup;
}

export interface OutboundRequest {
  channel: ChannelRecord;
  /** Absolute base; `path` is appended to its own path. */
  baseUrl: string;
  method: "GET" | "POST";
  /** Begins with a slash; every segment is encoded already. */
  path: string;
  /** The provider's own, its key among them. */
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent fields are left out. */
  body?: unknown;
  /** Cap of the decoded answer. */
  maxBytes: number;
  readRefusal: ReadRefusal;
  /** What must not stand in any message: the key. */
  secrets: readonly string[];
  /** PEM of the authority that this upstream's certificate is checked against. */
  ca?: string;
  options: CallOptions;
}

/** An answer with a status of 2xx. */
export interface UpstreamReply {
  header(name: string): string | null;
  /** Without parameters, in lower case; empty when there is none. */
  contentType: string;
  /** False when only the end of the connection ends the body: a cut cannot be told from its end then. */
  isDelimited: boolean;
  body: UpstreamBody;
}

export interface Outbound {
  /** Throws AppError `upstream_*`, `invalid` (the upstream's words about what was asked), or the call's abort reason. */
  call(request: OutboundRequest): Promise<UpstreamReply>;
  allowList(): AllowList;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
const MOST_POOLS = 1_000;
const MOST_HEADER_BYTES = 16 * 1024;
/** Shorter than the 5 s after which common servers hang up, so that a call does not meet a closing socket. */
const IDLE_SOCKET_MS = 4_000;
/** A connection is made anew after this, and its name looked up with it. */
const CONNECTION_MS = 300_000;
const REFUSAL_BYTES = 64 * 1024;
const REFUSAL_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface ChannelPool {
  /** Another one is another pool. */
  fingerprint: string;
  pool: Pool;
  /** Requests without an answer yet. */
  waiting: { count: number };
}

/** The one way to an upstream: pools of kept connections, a pool a channel. Redirects are never followed. */
export function createOutbound(settings: OutboundSettings): Outbound {
  const resolver = createResolver(settings.clock, settings.lookup ?? createSystemLookup());
  const pools = new Map<string, ChannelPool>();
  let allow = parseAllowList([]);

  function allowList(): AllowList {
    const entries = settings.allowedUpstreams();
    const fresh = [...entries].sort().join(" ");
    if (fresh !== allow.fingerprint) allow = parseAllowList(entries);
    return allow;
  }

  function poolFor({ channel, ca }: OutboundRequest, origin: string): ChannelPool {
    const connectMs = channel.timeouts.connectMs ?? settings.limits.upstreamConnectMs;
    const connections = channel.concurrency ?? MOST_CONNECTIONS;
    const fingerprint = JSON.stringify([origin, connectMs, connections, ca, allowList().fingerprint]);
    const known = pools.get(channel.id);
    if (known?.fingerprint === fingerprint) return known;
    const waiting = { count: 0 };
    const connect = createConnector({
      resolver,
      mayConnect: (address, host, port) => mayConnect(address, host, port, allowList()),
      connectMs,
      tlsMs: settings.limits.upstreamTlsMs,
      isWanted: () => waiting.count > 0,
      ca,
    });
    const pool = new Pool(origin, {
      connect,
      connections: Math.min(connections, MOST_CONNECTIONS),
      pipelining: 1,
      // Ours are exact and know the call's own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_SOCKET_MS,
      clientTtl: CONNECTION_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    // What is under way ends on the old connections.
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

/** What was fine when the channel was saved may not be any more; that is the channel's fault, not its caller's. */
function prepare(request: OutboundRequest, allow: AllowList): { url: URL; headers: Record<string, string> } {
  try {
    return {
      url: readUpstreamUrl(request.baseUrl, allow),
      headers: requestHeaders(request.headers, request.channel.headers, request.body !== undefined),
    };
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    throw unreachable(new UpstreamFault("address_refused"));
  }
}

async function send(
  settings: OutboundSettings,
  { pool, waiting }: ChannelPool,
  url: URL,
  headers: Record<string, string>,
  request: OutboundRequest,
): Promise<UpstreamReply> {
  const { channel, options, method, maxBytes } = request;
  if (options.signal.aborted) throw abortReason(options.signal);
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  const left = () =>
    Math.min(LONGEST_TIMER_MS, Math.max(0, options.firstByteBy - settings.clock.monotonic()));

  const controller = new AbortController();
  let late: AppError | null = null;
  const onAbort = (): void => controller.abort(options.signal.reason);
  const letGo = (): void => options.signal.removeEventListener("abort", onAbort);
  options.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => {
    late = tooSlow();
    controller.abort(late);
  }, left());

  try {
    const path = `${url.pathname === "/" ? "" : url.pathname}${request.path}`;
    waiting.count += 1;
    const reply = await pool
      .request({ method, path, headers, body, signal: controller.signal })
      .finally(() => {
        waiting.count -= 1;
      });
    clearTimeout(timer);
    const header = (name: string): string | null => {
      const value = reply.headers[name];
      return value === undefined ? null : Array.isArray(value) ? (value[0] ?? null) : value;
    };
    const isGood = reply.statusCode >= 200 && reply.statusCode < 300;
    const guarded = readBody(
      // undici's body is a Readable with more to it.
      reply.body as Readable,
      (header("content-encoding") ?? "").trim().toLowerCase(),
      {
        maxBytes: isGood ? maxBytes : REFUSAL_BYTES,
        firstByteMs: isGood ? left() : Math.min(left(), REFUSAL_MS),
        idleMs: isGood ? (channel.timeouts.idleMs ?? settings.limits.idleMs) : REFUSAL_MS,
        totalMs: isGood ? (channel.timeouts.totalMs ?? settings.limits.callMs) : REFUSAL_MS,
      },
      { abortReason: () => (options.signal.aborted ? abortReason(options.signal) : null), over: letGo },
    );
    if (!isGood) throw await refused(settings, request, url, reply.statusCode, header, guarded);
    return {
      header,
      contentType: (header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
      isDelimited: header("content-length") !== null || header("transfer-encoding") !== null,
      body: guarded,
    };
  } catch (error) {
    clearTimeout(timer);
    letGo();
    if (options.signal.aborted) throw abortReason(options.signal);
    throw late ?? connectionError(error, "headers");
  }
}

async function refused(
  { clock }: OutboundSettings,
  { readRefusal, secrets, options }: OutboundRequest,
  url: URL,
  status: number,
  header: (name: string) => string | null,
  body: UpstreamBody,
): Promise<AppError> {
  // A refusal whose body is cut, slow or endless is still one: its status was whole.
  const bytes = await collect(body).catch(() => new Uint8Array());
  if (options.signal.aborted) return abortReason(options.signal);
  return refusalError({
    status,
    header,
    text: Buffer.from(bytes).toString("utf8"),
    nowMs: clock.now(),
    secrets: [...secrets, url.host, url.hostname],
    read: readRefusal,
  });
}
