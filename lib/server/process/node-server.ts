import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Limits } from "../../contracts/limits";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import { completeReply, createDispatcher } from "../../http/core/dispatch";
import { type CheckedHead, checkHead, requestIdOf } from "../../http/core/edge-guard";
import type { Inbound, Outbound, Peer } from "../../http/core/exchange";
import { surfaceOf } from "../../http/core/match";
import { isBareOpenAiPath, isDecodable, isTablePath, normalizePath } from "../../http/core/normalize-path";
import { PEER_HEADER } from "../../http/core/peer-header";
import { renderError } from "../../http/core/render-error";
import { createNodeAdapter, sendReply } from "../../http/node/adapter";
import { createPeerReader, isForwardingHeader, unifyAddress } from "../../http/node/peer";
import { ROUTES } from "../../http/routes";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/log";
import { capConnections } from "./connection-cap";
import type { Container } from "./container";
import type { Pages } from "./pages";
import { refuseSocket, refuseUnreadable } from "./refuse-socket";

const MAX_HEADER_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 75_000;

export interface NodeServer {
  server: Server;
  /** Set when Next is ready; null: only the route table answers. */
  pages: Pages | null;
  /** Requests being answered, including pages. */
  readonly running: number;
  /** Open sockets. */
  readonly open: number;
  /** Sockets that may be open at once, for all addresses together. */
  mostConnections: number;
  /** Aborts every gateway and console request in flight. */
  abortAll(reason: AppError): void;
}

function timeoutsOf(limits: Limits): { headersTimeout: number; requestTimeout: number } {
  const uploadMs = Math.max(limits.consoleUploadMs, limits.gatewayUploadMs);
  return {
    headersTimeout: limits.headersTimeoutMs,
    // Bodies have their own timeouts; this is the last resort.
    requestTimeout: limits.headersTimeoutMs + uploadMs + 5_000,
  };
}

function createHttpServer(limits: Limits): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    ...timeoutsOf(limits),
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // We reject it ourselves, in JSON.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxHeadersCount = 0;
  return server;
}

/** Deletes headers in which callers name their own address, so that handlers and pages cannot trust them. */
function deletePeerHeaders(head: CheckedHead): void {
  for (const name of head.headers.keys())
    if (name === PEER_HEADER || isForwardingHeader(name)) head.headers.delete(name);
}

/** Logs failures to accept a connection, at most one per second; all other errors of a listening server are thrown. */
function handleServerErrors(server: Server, clock: Clock, log: Log): void {
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
function rejectUnreadable(server: Server): void {
  server.on("clientError", (error, socket) => refuseUnreadable(error, socket));
  server.on("connect", (_message, socket) =>
    refuseSocket(socket, new AppError("invalid", "This server is not a proxy: CONNECT is not supported.")),
  );
}

/** Creates our Node server: it validates request heads and serves the route table and the pages. */
export function createNodeServer(container: Container, log: Log): NodeServer {
  const { services, env } = container;
  const { instance, clock } = services;
  const limits = instance.limits ?? env.limits;
  const server = createHttpServer(limits);
  // Node reads these two at every check, so changed settings apply from the next connection on.
  server.on("connection", () => Object.assign(server, timeoutsOf(limits)));
  const peers = createPeerReader(env.trustedProxies, env.baseUrl);
  const connections = capConnections(
    server,
    { ofAddress: () => limits.connectionsPerAddress, ofAll: () => nodeServer.mostConnections },
    peers.isTrusted,
  );
  const isDraining = () => instance.draining === true;
  const adapter = createNodeAdapter(
    createDispatcher(ROUTES, async () => services),
    clock,
    limits,
    isDraining,
    (error, requestId) => log.error("reply_broke", { requestId, cause: String(error) }),
  );
  let running = 0;

  function refuse(
    message: IncomingMessage,
    response: ServerResponse,
    request: Pick<Inbound, "method" | "peer" | "requestId">,
    out: Outbound,
  ): Promise<void> {
    // completeReply reads only these three fields of a request.
    return sendReply(message, response, completeReply(request as Inbound, out), true);
  }

  async function answerPage(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    request: Pick<Inbound, "method" | "peer" | "requestId">,
  ): Promise<void> {
    const notFound = () =>
      renderError("console", new AppError("unknown_url", "There is nothing at this address."));
    const refusal = nodeServer.pages === null ? notFound() : nodeServer.pages.refuse(request.method, head);
    if (refusal !== null || nodeServer.pages === null)
      return refuse(message, response, request, refusal ?? notFound());
    response.setHeader("x-request-id", request.requestId);
    if (isDraining()) response.setHeader("connection", "close");
    await nodeServer.pages.serve(message, response, request.peer);
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = message.method ?? "GET";
    const target = message.url ?? "";
    const { httpVersion, rawHeaders } = message;
    const head = checkHead({ method, target, httpVersion, rawHeaders });
    const peer: Peer = peers.read(
      unifyAddress(message.socket.remoteAddress ?? ""),
      httpVersion,
      head.headers,
    );
    const requestId = requestIdOf(head.headers.get("x-request-id"));
    deletePeerHeaders(head);
    const request = { method, peer, requestId };
    if (head.error !== null)
      return refuse(message, response, request, renderError(surfaceOf(head.path), head.error));
    // Health checks are answered above the cap, too: a server at its limit is still healthy.
    if (connections.isAbove(message.socket) && !head.path.startsWith("/api/health/"))
      return refuse(message, response, request, renderError(surfaceOf(head.path), outOfFiles()));
    const isRoute =
      !isDecodable(head.path) ||
      isTablePath(normalizePath(head.path)) ||
      isBareOpenAiPath(head.path, head.headers);
    if (isRoute) return adapter.handle(message, response, head, peer, requestId);
    return answerPage(message, response, head, request);
  }

  function onRequest(message: IncomingMessage, response: ServerResponse): void {
    running += 1;
    message.on("error", () => undefined);
    answer(message, response)
      .catch((error: unknown) => {
        log.error("request_failed", { cause: error instanceof Error ? error : String(error) });
        const failure = isOutOfFiles(error)
          ? outOfFiles()
          : new AppError("internal", "Something went wrong on our side.");
        if (response.headersSent) response.destroy();
        else refuseSocket(message.socket, failure);
      })
      .finally(() => {
        running -= 1;
      });
  }

  handleServerErrors(server, clock, log);
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  rejectUnreadable(server);

  const nodeServer: NodeServer = {
    server,
    pages: null,
    mostConnections: Number.POSITIVE_INFINITY,
    get running() {
      return running;
    },
    get open() {
      return connections.open;
    },
    abortAll: (reason) => adapter.abortAll(reason),
  };
  container.countInFlight = () => running;
  return nodeServer;
}
