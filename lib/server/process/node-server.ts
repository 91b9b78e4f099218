import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type https from "node:https";
import type { Limits } from "../../contracts/limits";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import { completeReply, createDispatcher } from "../../http/core/dispatch";
import { type CheckedHead, checkHead, requestIdOf } from "../../http/core/edge-guard";
import type { Inbound, Outbound } from "../../http/core/exchange";
import { surfaceOf } from "../../http/core/match";
import { bareDialect, isDecodable, isRoutedPath, normalizePath } from "../../http/core/normalize-path";
import { PEER_HEADER } from "../../http/core/peer-header";
import { renderError } from "../../http/core/render-error";
import { closeWithConnection, NodeAdapter, sendReply } from "../../http/node/adapter";
import { createPeerReader, isForwardingHeader, type PeerReader, unifyAddress } from "../../http/node/peer";
import { ROUTES } from "../../http/routes";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/telemetry";
import { type ConnectionCap, capConnections } from "./connection-cap";
import type { Container } from "./container";
import type { TlsFiles } from "./env";
import type { Pages } from "./pages";
import { refuseSocket, refuseUnreadable } from "./refuse-socket";
import { reachableAddress } from "./register";
import { createTlsServer } from "./tls";

const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Longer than proxies keep an idle connection (Caddy: 120 s): if we closed it first, a request that the proxy sends at
 * the same moment would get a 502.
 */
const KEEP_ALIVE_MS = 150_000;

export interface NodeServer {
  server: Server | https.Server;
  /** Set when Next is ready; null: only the route table answers. */
  pages: Pages | null;
  /** Requests being answered, including pages. */
  readonly running: number;
  /** Open sockets. */
  readonly open: number;
  /** Sockets that may be open at once, for all addresses together. */
  maxConnections: number;
  /** Aborts every gateway and console request in flight. */
  abortAll(reason: AppError): void;
}

/** How long the largest upload, a recording of hours, may take. */
const MAX_UPLOAD_MS = 15 * 60_000;

function timeoutsOf(limits: Limits): { headersTimeout: number; requestTimeout: number } {
  const uploadMs = Math.max(limits.consoleUploadMs, limits.gatewayUploadMs);
  return {
    headersTimeout: limits.headersTimeoutMs,
    // The last resort: bodies have their own timeouts, and that of a streamed body starts again after each window.
    requestTimeout: limits.headersTimeoutMs + Math.max(uploadMs, MAX_UPLOAD_MS) + 5_000,
  };
}

function createHttpServer(limits: Limits, tls: TlsFiles | null, log: Log): Server | https.Server {
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    // Overrides Node's option, however it is spelled: a lenient parser allows request smuggling.
    insecureHTTPParser: false,
    ...timeoutsOf(limits),
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // We reject a missing Host header ourselves, in JSON.
    requireHostHeader: false,
    noDelay: true,
  };
  const server =
    tls === null
      ? createServer(options)
      : createTlsServer({ ...options, handshakeTimeout: limits.headersTimeoutMs }, tls, log);
  server.maxHeadersCount = 0;
  return server;
}

/** Deletes headers in which callers name their own address, so that handlers and pages cannot trust them. */
function deletePeerHeaders(head: CheckedHead): void {
  for (const name of head.headers.keys())
    if (name === PEER_HEADER || isForwardingHeader(name)) head.headers.delete(name);
}

/** Logs failures to accept a connection, at most one per second; all other errors of a listening server are thrown. */
function handleServerErrors(server: Server | https.Server, clock: Clock, log: Log): void {
  let acceptFailedAt = Number.NEGATIVE_INFINITY;
  server.on("error", (error) => {
    if (!isOutOfFiles(error)) {
      // listen() reports its own failure.
      if (server.listening) throw error;
      return;
    }
    // The connection stays in the system's queue, and each attempt to accept it fails until a descriptor is free.
    const now = clock.monotonic();
    if (now - acceptFailedAt < 1_000) return;
    acceptFailedAt = now;
    log.warn("accept_failed", { cause: String(error) });
  });
}

/** Answers input that Node's parser rejects, and CONNECT. */
function rejectUnreadable(server: Server | https.Server): void {
  server.on("clientError", (error, socket) => refuseUnreadable(error, socket));
  server.on("connect", (_message, socket) =>
    refuseSocket(socket, new AppError("invalid", "This server is not a proxy: CONNECT is not supported.")),
  );
}

type RequestFacts = Pick<Inbound, "method" | "peer" | "requestId">;

function refuse(
  message: IncomingMessage,
  response: ServerResponse,
  request: RequestFacts,
  out: Outbound,
): Promise<void> {
  // completeReply reads only these three fields of a request.
  return sendReply(message, response, completeReply(request as Inbound, out), true);
}

function notFound(): Outbound {
  return renderError("console", new AppError("unknown_url", "Unknown path."));
}

/** True when the route table answers this path, if only with an error; all other paths are pages. */
function isRoutePath(head: CheckedHead): boolean {
  return (
    !isDecodable(head.path) ||
    isRoutedPath(normalizePath(head.path)) ||
    bareDialect(head.path, head.headers) !== null
  );
}

class RoutesAndPages implements NodeServer {
  readonly server: Server | https.Server;
  pages: Pages | null = null;
  maxConnections = Number.POSITIVE_INFINITY;
  running = 0;
  /** Counts gateway requests only: console requests, such as polling and event streams, say nothing about the load. */
  readonly gateway = { inFlight: 0, total: 0 };
  readonly #log: Log;
  readonly #isDraining: () => boolean;
  readonly #peers: PeerReader;
  readonly #connections: ConnectionCap;
  readonly #adapter: NodeAdapter;

  constructor({ services, env }: Container, log: Log) {
    const { instance, clock } = services;
    const { limits } = instance;
    this.#log = log;
    this.#isDraining = () => instance.draining === true;
    this.#peers = createPeerReader(env.trustedProxies, env.baseUrl, env.tls !== null);
    this.server = createHttpServer(limits, env.tls, log);
    // Node reads these two at every check, so changed settings apply from the next connection on.
    this.server.on("connection", () => Object.assign(this.server, timeoutsOf(limits)));
    this.#connections = capConnections(
      this.server,
      { ofAddress: () => limits.connectionsPerAddress, ofAll: () => this.maxConnections },
      this.#peers.isTrusted,
    );
    this.#adapter = new NodeAdapter({
      handler: createDispatcher(ROUTES, async () => services),
      clock,
      limits,
      isDraining: this.#isDraining,
      onBroken: (error, requestId, traceId) =>
        log.error("reply_interrupted", { requestId, traceId, cause: String(error) }),
    });
    handleServerErrors(this.server, clock, log);
    const onRequest = (message: IncomingMessage, response: ServerResponse) =>
      this.#onRequest(message, response);
    this.server.on("request", onRequest);
    this.server.on("checkContinue", onRequest);
    this.server.on("checkExpectation", onRequest);
    rejectUnreadable(this.server);
  }

  get open(): number {
    return this.#connections.open;
  }

  abortAll(reason: AppError): void {
    this.#adapter.abortAll(reason);
  }

  #onRequest(message: IncomingMessage, response: ServerResponse): void {
    this.running += 1;
    message.on("error", () => undefined);
    closeWithConnection(message, response);
    this.#answer(message, response)
      .catch((error: unknown) => {
        this.#log.error("request_failed", { cause: error instanceof Error ? error : String(error) });
        const failure = isOutOfFiles(error) ? outOfFiles() : new AppError("internal", "Internal error.");
        if (response.headersSent) response.destroy();
        else refuseSocket(message.socket, failure);
      })
      .finally(() => {
        this.running -= 1;
      });
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: target = "", httpVersion, rawHeaders } = message;
    const head = checkHead({ method, target, httpVersion, rawHeaders });
    const address = unifyAddress(message.socket.remoteAddress ?? "");
    const peer = this.#peers.read(address, httpVersion, head.headers);
    const requestId = requestIdOf(head.headers.get("x-request-id"));
    deletePeerHeaders(head);
    const request = { method, peer, requestId };
    if (surfaceOf(head.path) === "console") return this.#answerChecked(message, response, head, request);
    this.gateway.total += 1;
    this.gateway.inFlight += 1;
    try {
      await this.#answerChecked(message, response, head, request);
    } finally {
      this.gateway.inFlight -= 1;
    }
  }

  async #answerChecked(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    request: RequestFacts,
  ): Promise<void> {
    if (head.error !== null)
      return refuse(message, response, request, renderError(surfaceOf(head.path), head.error));
    // Health checks are answered above the cap, too: a server at its limit is still healthy.
    if (this.#connections.isAbove(message.socket) && !head.path.startsWith("/api/health/"))
      return refuse(message, response, request, renderError(surfaceOf(head.path), outOfFiles()));
    if (isRoutePath(head))
      return this.#adapter.handle(message, response, head, request.peer, request.requestId);
    return this.#answerPage(message, response, head, request);
  }

  async #answerPage(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    request: RequestFacts,
  ): Promise<void> {
    const { pages } = this;
    if (pages === null) return refuse(message, response, request, notFound());
    const refusal = pages.refuse(request.method, head);
    if (refusal !== null) return refuse(message, response, request, refusal);
    response.setHeader("x-request-id", request.requestId);
    if (this.#isDraining()) response.setHeader("connection", "close");
    await pages.serve(message, response, request.peer);
  }
}

/** The TCP port that the server listens on; null: it does not listen. */
export function portOf(server: Server): number | null {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : null;
}

/** Creates our Node server: it validates request heads and serves the route table and the pages. */
export function createNodeServer(container: Container, log: Log): NodeServer {
  const nodeServer = new RoutesAndPages(container, log);
  const { env } = container;
  container.traffic = () => ({
    ...nodeServer.gateway,
    address: reachableAddress(env.host, portOf(nodeServer.server) ?? env.port),
  });
  return nodeServer;
}
