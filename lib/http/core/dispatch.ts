import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ConsoleServices } from "../../console/context";
import { AppError, isAppError } from "../../errors";
import { consoleContext, runConsoleRoute } from "../console/pipeline";
import { isGoogleCaller } from "../gateway/models-reply";
import { runGatewayRoute } from "../gateway/pipeline";
import { renderFailedCall } from "../gateway/render-failed-call";
import { addCorsHeaders } from "./cross-origin";
import { discardBody, type Handler, type Inbound, type Outbound } from "./exchange";
import { compileRoutes, type Match, matchRoute, type RouteTable, surfaceOf, surfaceOfRoute } from "./match";
import { bareDialect, isDecodable, normalizePath, splitRepeatedVersion } from "./normalize-path";
import { renderError, renderFailure } from "./render-error";
import type { Route, Surface } from "./route";
import { DATA_HEADERS, STRICT_TRANSPORT } from "./security-headers";

const compress = promisify(gzip);

/** Compressed bodies by their uncompressed ones, so that a reply that its route keeps is compressed once. */
const compressed = new WeakMap<Uint8Array, Promise<Uint8Array>>();

function compressOnce(body: Uint8Array): Promise<Uint8Array> {
  const known = compressed.get(body);
  if (known !== undefined) return known;
  const made = compress(body, { level: 6 });
  compressed.set(body, made);
  return made;
}

/** Smaller replies fit one packet, compressed or not. */
const MIN_COMPRESSED_BYTES = 1_024;
const COMPRESSIBLE = /^(?:application\/json|text\/)/;

/** True when `Accept-Encoding` allows gzip (RFC 9110 §12.5.3): `q=0` forbids a coding, `*` is every one not listed. */
function acceptsGzip(header: string | undefined): boolean {
  const codings = (header ?? "").split(",").map((one) => {
    const [name, ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    return { name, isAccepted: !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part)) };
  });
  const coding = codings.find(({ name }) => name === "gzip") ?? codings.find(({ name }) => name === "*");
  return coding?.isAccepted ?? false;
}

/**
 * Compresses a console reply for callers that accept gzip. Only whole replies to GET are compressed: every reply with a
 * secret answers another method, so no secret is compressed next to text that an attacker chose (the BREACH attack).
 * Streams are never compressed, because each event must leave at once.
 */
async function compressReply(request: Inbound, reply: Outbound): Promise<Outbound> {
  const { body, headers } = reply;
  if (request.method !== "GET" || !(body instanceof Uint8Array) || body.byteLength < MIN_COMPRESSED_BYTES)
    return reply;
  if (!COMPRESSIBLE.test(String(headers["content-type"]))) return reply;
  const vary = "accept-encoding";
  if (!acceptsGzip(request.headers.get("accept-encoding")))
    return { ...reply, headers: { ...headers, vary } };
  return {
    ...reply,
    headers: { ...headers, vary, "content-encoding": "gzip" },
    body: await compressOnce(body),
  };
}

type Found = Extract<Match, { kind: "found" }>;

async function runRoute(found: Found, services: ConsoleServices, request: Inbound): Promise<Outbound> {
  const { route, params, error } = found;
  switch (route.surface) {
    case "gemini":
    case "openai":
      return runGatewayRoute(route, services, request, params, error);
    case "console":
      if (error !== null) throw error;
      return compressReply(request, await runConsoleRoute(route, services, request, params));
    case "plain": {
      const context = consoleContext(services, request, { kind: "anonymous" });
      return compressReply(request, await route.handle(context, request));
    }
    default:
      return route satisfies never;
  }
}

async function answerFound(
  found: Found,
  services: () => Promise<ConsoleServices>,
  request: Inbound,
): Promise<Outbound> {
  const surface = surfaceOfRoute(found.route);
  let ready: ConsoleServices;
  try {
    ready = await services();
  } catch (error) {
    // Without our server, the first request creates the services; a failure is logged there.
    const message = "The server could not start; its log has the cause.";
    return renderError(surface, isAppError(error) ? error : new AppError("overloaded", message, {}, error));
  }
  try {
    return await runRoute(found, ready, request);
  } catch (error) {
    return renderFailure(surface, error, request, ready.log);
  }
}

/** OpenAI's endpoints for text generation. */
const TEXT_GENERATION = /^\/v1(?:\/engines\/[^/]+)?\/(?:chat\/completions|completions|responses)(?:\/|$)/;

/** Paths of OpenAI's surface that answer Google's clients in Gemini's form. */
const MODELS_PATH = /^(?:\/v1)?\/v1\/models(?:\/|$)/;

/** The error for a path or method without a route, and its dialect. */
function matchError(match: Exclude<Match, Found>, request: Inbound): { surface: Surface; error: AppError } {
  const { method, path, headers } = request;
  const bare = match.kind === "unknown" ? bareDialect(path, headers) : null;
  if (bare !== null) {
    const version = bare === "openai" ? "/v1" : "/v1beta";
    const client = bare === "openai" ? "an OpenAI client" : "this Gemini client";
    const message = `Unknown path ${path}: the base URL of ${client} must end in ${version}, so that it calls ${version}${path}.`;
    return { surface: bare, error: new AppError("unknown_url", message) };
  }
  const surface = MODELS_PATH.test(path) && isGoogleCaller(request) ? "gemini" : match.surface;
  const repeated = match.kind === "unknown" ? splitRepeatedVersion(path) : null;
  if (repeated !== null) {
    const { version, rest } = repeated;
    const client = surface === "gemini" ? "this Gemini client" : "this client";
    const message = `Unknown path ${path}: the base URL of ${client} must not end in ${version}, so that it calls ${rest}.`;
    return { surface, error: new AppError("unknown_url", message) };
  }
  if (match.kind === "unknown" && TEXT_GENERATION.test(path)) {
    const message = `Unknown path ${path}: Patchbay serves speech and embeddings, not text generation.`;
    return { surface, error: new AppError("unknown_url", message) };
  }
  if (match.kind === "unknown" && match.modelMethod !== undefined) {
    const { asked, known } = match.modelMethod;
    const message = `Unknown method ':${asked.slice(0, 64)}'. Known methods: ${known.map((name) => `:${name}`).join(", ")}.`;
    return { surface, error: new AppError("unknown_url", message) };
  }
  if (match.kind === "unknown") {
    const message = "Unknown path. /openapi.json lists all paths.";
    return { surface, error: new AppError("unknown_url", message) };
  }
  const { allow } = match;
  const message = `Method ${method} is not allowed; this path accepts ${allow.join(", ")}.`;
  return { surface, error: new AppError("method_not_allowed", message, { allow }) };
}

async function refuse(
  match: Exclude<Match, Found>,
  services: () => Promise<ConsoleServices>,
  request: Inbound,
): Promise<Outbound> {
  if (match.kind === "wrong-method" && request.method === "OPTIONS")
    return { status: 204, headers: { allow: match.allow.join(", ") }, body: null };
  const { surface, error } = matchError(match, request);
  const ready = surface === "console" ? null : await services().catch(() => null);
  if (ready === null) return renderError(surface, error);
  return renderFailedCall(surface, ready, request, { caller: null, model: undefined, opened: null }, error);
}

async function answer(
  table: RouteTable,
  services: () => Promise<ConsoleServices>,
  request: Inbound,
): Promise<Outbound> {
  if (!isDecodable(request.path)) {
    const message = "The path has a percent-encoding that is not valid UTF-8.";
    return renderError(surfaceOf(request.path), new AppError("invalid", message));
  }
  const match = matchRoute(table, request.method, normalizePath(request.path));
  return match.kind === "found" ? answerFound(match, services, request) : refuse(match, services, request);
}

/** A reply to HEAD: the headers of GET without its body. */
function withoutBody(reply: Outbound): Outbound {
  discardBody(reply).catch(() => undefined);
  return { ...reply, body: null };
}

/** Adds the headers that every reply carries. Headers set by the handler take precedence. */
export function completeReply(request: Inbound, reply: Outbound): Outbound {
  const headers: Outbound["headers"] = {};
  // Loops, because spreading objects costs microseconds on every reply.
  for (const name in DATA_HEADERS) headers[name] = DATA_HEADERS[name] ?? "";
  for (const name in reply.headers) headers[name] = reply.headers[name] ?? "";
  headers["x-request-id"] = request.requestId;
  if (request.peer.isSecure) headers["strict-transport-security"] = STRICT_TRANSPORT;
  if (reply.body instanceof Uint8Array) headers["content-length"] = String(reply.body.byteLength);
  else if (reply.body === null && reply.status !== 204) headers["content-length"] = "0";
  const complete: Outbound = { status: reply.status, headers, body: reply.body, traceId: reply.traceId };
  return request.method === "HEAD" ? withoutBody(complete) : complete;
}

/**
 * The handler behind both adapters: finds the route, runs the pipeline of its surface and renders every error in that
 * surface's dialect.
 */
export function createDispatcher(
  routes: readonly Route[],
  services: () => Promise<ConsoleServices>,
): Handler {
  const table = compileRoutes(routes);
  return async (request) => {
    const reply = await answer(table, services, request);
    try {
      return completeReply(request, await addCorsHeaders(services, request, reply));
    } catch (error) {
      await discardBody(reply);
      throw error;
    }
  };
}
