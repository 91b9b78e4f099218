import { isUtf8 } from "node:buffer";
import type { ConsoleServices } from "../../console/context";
import { codePoints } from "../../contracts/code-points";
import { AppError } from "../../errors";
import { admitRequest } from "../../gateway/admission/admit-request";
import { authenticateKey } from "../../gateway/admission/authenticate-key";
import { enterGateway, type Slot } from "../../gateway/admission/enter-gateway";
import { resolveModel } from "../../gateway/admission/resolve-model";
import type { GatewayContext, GatewayServices } from "../../gateway/context";
import { requireOpenBudget } from "../../gateway/metering/reserve-budget";
import { runInSlices } from "../../ports/run-in-slices";
import type { KeyWithOwner } from "../../ports/store";
import { checkContentType } from "../core/content-type";
import type { Inbound, Outbound } from "../core/exchange";
import { requireSetUp } from "../core/is-set-up";
import { jsonLimitsOf, readJsonInSteps, readJsonObject } from "../core/read-json";
import type { GatewayRoute, Parameters } from "../core/route";
import { answerOnce, digestRequest, type IdempotentCall, readIdempotencyKey } from "./idempotent-reply";
import { isGoogleCaller } from "./models-reply";
import { type CallProgress, renderFailedCall } from "./render-failed-call";

function bearerToken(request: Inbound): string | null {
  const value = request.headers.get("authorization")?.trim();
  if (!value) return null;
  const space = value.indexOf(" ");
  if (space === -1 || value.slice(0, space).toLowerCase() !== "bearer") return null;
  return value.slice(space + 1).trim() || null;
}

/** Every `key` of the query, decoded. */
function queryKeys(query: string): string[] {
  if (!query.includes("key=")) return [];
  return new URLSearchParams(query).getAll("key").filter((key) => key !== "");
}

/**
 * The API key a request carries: `Authorization: Bearer` (scheme in any case), and where `takesGoogleKey` also
 * `x-goog-api-key` and `?key=`. Throws `unauthenticated` when there is none, `invalid` when any of these places has a
 * different key, even if the route would not take it from there.
 */
function presentedKey(request: Inbound, takesGoogleKey: boolean): string {
  const google = request.headers.get("x-goog-api-key")?.trim();
  const inQuery = queryKeys(request.query);
  const ofGoogle = google ? [google, ...inQuery] : inQuery;
  const key = bearerToken(request) ?? (takesGoogleKey ? ofGoogle[0] : undefined);
  if (key === undefined)
    throw new AppError("unauthenticated", "No API key: send it as 'Authorization: Bearer <key>'.");
  if (ofGoogle.some((other) => other !== key))
    throw new AppError("invalid", "The request carries two different API keys; send one.");
  return key;
}

const MAX_TAGS_LENGTH = 256;

function maxBodyBytes(route: GatewayRoute, services: ConsoleServices): number {
  const limits = services.instance.limits;
  return route.operation === "embeddings" ? limits.embeddingsBodyBytes : limits.jsonBodyBytes;
}

/** Bodies above this number of bytes are parsed in steps. */
const MAX_SINGLE_STEP_BYTES = 64 * 1024;

/** The key is checked again after a body that took longer than this to arrive, in milliseconds. */
const SLOW_BODY_MS = 50;

/** The key of a request, which may be revoked or restricted while a slow body arrives or a repeat waits. */
class PresentedKey {
  private constructor(
    private readonly services: ConsoleServices,
    private readonly request: Inbound,
    private readonly key: string,
    /** The key and its owner when the request arrived. */
    readonly arrived: KeyWithOwner,
    private readonly arrivedAt: number,
  ) {}

  /** Authenticates the key of a request. Throws like `presentedKey` and `authenticateKey`. */
  static async of(
    services: ConsoleServices,
    request: Inbound,
    takesGoogleKey: boolean,
  ): Promise<PresentedKey> {
    const key = presentedKey(request, takesGoogleKey);
    const arrived = await authenticateKey(services, key, request.peer);
    return new PresentedKey(services, request, key, arrived, services.clock.monotonic());
  }

  /** The key and its owner as they are now. Throws the errors of a new request. */
  current(): Promise<KeyWithOwner> {
    return authenticateKey(this.services, this.key, this.request.peer);
  }

  /** The key and its owner: as they are now after a slow body, else as they were on arrival. */
  async recent(): Promise<KeyWithOwner> {
    const isSlow = this.services.clock.monotonic() - this.arrivedAt > SLOW_BODY_MS;
    return isSlow ? this.current() : this.arrived;
  }
}

interface ReadCall {
  /** As `PresentedKey.recent` returns it. */
  caller: KeyWithOwner;
  /** Undefined for GET. */
  body: unknown;
  /** The call's Idempotency-Key, and the digest that a repeat must share. */
  idempotency: { key: string; digest: string } | null;
}

/**
 * Decodes a header, of which HTTP libraries return each byte as one character: as UTF-8 if its bytes are valid, else as
 * Latin-1.
 */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
}

/**
 * The tags as sent, but with at most one space after a comma: the store finds no tag with other white space around it.
 */
function readTags(request: Inbound): string | null {
  const sent = request.headers.get("x-patchbay-tags");
  if (sent === undefined) return null;
  const tags = decodeHeader(sent);
  if (codePoints(tags) > MAX_TAGS_LENGTH)
    throw new AppError("invalid", `x-patchbay-tags is longer than ${MAX_TAGS_LENGTH} characters.`);
  const trimmed = tags.split(",").map((tag, at) => (at > 0 && tag.startsWith(" ") ? " " : "") + tag.trim());
  return trimmed.join(",").trim() || null;
}

function gatewayContext(
  services: GatewayServices,
  caller: KeyWithOwner,
  request: Inbound,
  progress: CallProgress,
): GatewayContext {
  return {
    services,
    caller,
    requestId: request.requestId,
    trace: progress.trace,
    tags: readTags(request),
    // Directives are case-insensitive (RFC 9111 §5.2).
    isNoStore: request.headers.get("cache-control")?.toLowerCase().includes("no-store") ?? false,
    signal: request.signal,
    receivedAt: request.receivedAt,
    onOpened: (call) => {
      progress.opened = call;
    },
  };
}

/**
 * Checks that the key may still make the request of a stored reply: its operations, models, and that no budget is 0.
 * `current`: the context with the current key, which is returned. Throws the errors of a new request.
 */
async function authorizeReplay(
  route: GatewayRoute,
  current: GatewayContext,
  asked: { params: Parameters; body: unknown },
): Promise<GatewayContext> {
  const model = asked.params.model ?? modelOf(asked.body);
  if (model !== undefined) await resolveModel(current, model, route.operation);
  requireOpenBudget(current);
  return current;
}

function modelOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("model" in body)) return undefined;
  return typeof body.model === "string" ? body.model : undefined;
}

/** The dialect of a call's errors: Gemini's where the route answers Google's clients in that dialect. */
function surfaceOfCall({ surface, takesGoogleKey }: GatewayRoute, request: Inbound): GatewayRoute["surface"] {
  return takesGoogleKey && isGoogleCaller(request) ? "gemini" : surface;
}

/** An admitted call. */
interface Admitted {
  params: Parameters;
  pathError: AppError | null;
  progress: CallProgress;
  presented: PresentedKey;
  /** Null for GET. */
  slot: Slot | null;
}

async function readCall(
  route: GatewayRoute,
  services: ConsoleServices,
  request: Inbound,
  { slot, presented }: Admitted,
): Promise<ReadCall> {
  if (route.method === "GET") return { caller: await presented.recent(), body: undefined, idempotency: null };
  checkContentType(request, false);
  const bytes = await request.readBody(maxBodyBytes(route, services), slot?.body);
  const recent = await presented.recent();
  const limits = jsonLimitsOf(route);
  const body =
    bytes.length <= MAX_SINGLE_STEP_BYTES
      ? readJsonObject(bytes, limits)
      : await runInSlices(readJsonInSteps(bytes, limits), request.signal);
  const key = readIdempotencyKey(request);
  const idempotency = key === null ? null : { key, digest: digestRequest(request, bytes) };
  return { caller: recent, body, idempotency };
}

async function answerCall(
  route: GatewayRoute,
  services: ConsoleServices,
  request: Inbound,
  admitted: Admitted,
): Promise<Outbound> {
  const { params, progress } = admitted;
  try {
    if (admitted.pathError !== null) throw admitted.pathError;
    const { body, idempotency, caller } = await readCall(route, services, request, admitted);
    progress.model ??= modelOf(body);
    const ctx = gatewayContext(services, caller, request, progress);
    const execute: IdempotentCall["execute"] = (own) => route.handle(own, { body, params, request });
    const { slot } = admitted;
    if (idempotency === null || slot === null) return await execute(ctx);
    return await answerOnce(ctx, idempotency, {
      slot,
      execute,
      authorizeReplay: async (own) =>
        authorizeReplay(route, { ...own, caller: await admitted.presented.current() }, { params, body }),
    });
  } catch (error) {
    return renderFailedCall(surfaceOfCall(route, request), services, request, progress, error);
  }
}

/**
 * Runs one gateway call: setup done → key → concurrency slot and requests per minute → content type, size → key
 * again after a slow body → JSON → handler. The slot is released when the exchange is finished (`Inbound.onFinished`).
 * `pathError`: an error in the path's model ID, reported to callers with a valid key only. Throws `not_initialized`,
 * `storage_unavailable`.
 */
export async function runGatewayRoute(
  route: GatewayRoute,
  services: ConsoleServices,
  request: Inbound,
  params: Parameters,
  pathError: AppError | null,
): Promise<Outbound> {
  await requireSetUp(services);
  // Lists and `:countTokens` call no model.
  const isCall = route.method !== "GET" && route.operation !== null;
  const trace = isCall ? services.tracing?.begin(request.headers.get("traceparent")) : undefined;
  const progress: CallProgress = { caller: null, model: params.model, opened: null, trace };
  try {
    const presented = await PresentedKey.of(services, request, route.takesGoogleKey ?? false);
    const { arrived } = presented;
    progress.caller = arrived;
    const idempotencyKey = request.headers.get("idempotency-key") ?? null;
    const slot =
      route.method === "GET" ? null : await enterGateway(services, arrived, request.signal, idempotencyKey);
    if (slot !== null) request.onFinished(slot.leave);
    const limitHeaders = slot === null ? await admitRequest(services, arrived) : slot.limitHeaders;
    const reply = await answerCall(route, services, request, {
      params,
      pathError,
      progress,
      presented,
      slot,
    });
    const headers = limitHeaders === null ? reply.headers : Object.assign({}, limitHeaders, reply.headers);
    return { status: reply.status, headers, body: reply.body, traceId: trace?.traceId };
  } catch (error) {
    return renderFailedCall(surfaceOfCall(route, request), services, request, progress, error);
  }
}
