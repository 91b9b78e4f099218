import type { ConsoleServices } from "../../console/context";
import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError } from "../../errors";
import { admitRequest } from "../../gateway/admission/admit-request";
import { authenticateKey } from "../../gateway/admission/authenticate-key";
import { enterGateway, type Slot } from "../../gateway/admission/enter-gateway";
import { getUsableModel } from "../../gateway/admission/list-usable-models";
import { resolveModel } from "../../gateway/admission/resolve-model";
import type { GatewayContext, GatewayServices } from "../../gateway/context";
import { requireOpenBudget } from "../../gateway/metering/open-meter";
import type { KeyWithOwner } from "../../ports/store";
import { checkContentType } from "../core/content-type";
import type { Inbound, Outbound } from "../core/exchange";
import { requireSetUp } from "../core/is-set-up";
import { JSON_LIMITS, type JsonLimits, readJsonObject } from "../core/read-json";
import { renderFailure } from "../core/render-failure";
import type { GatewayRoute, Parameters } from "../core/route";
import { answerOnce, digestRequest, type IdempotentCall, readIdempotencyKey } from "./idempotent-reply";
import { presentedKey } from "./presented-key";

const MAX_TAGS_LENGTH = 256;
const TOKEN_LIMITS: JsonLimits = { ...JSON_LIMITS, maxArrayItems: 300_000, maxValues: 400_000 };

function jsonLimits(route: GatewayRoute): JsonLimits {
  if (route.maxArrayItems !== undefined) return { ...JSON_LIMITS, maxArrayItems: route.maxArrayItems };
  return route.operation === "embeddings" ? TOKEN_LIMITS : JSON_LIMITS;
}

function maxBodyBytes(route: GatewayRoute, services: ConsoleServices): number {
  const limits = services.instance.limits ?? DEFAULT_LIMITS;
  if (route.operation === "embeddings") return limits.embeddingsBodyBytes;
  return route.maxBodyBytes ?? limits.jsonBodyBytes;
}

/** A body that took longer than this to arrive, in milliseconds, did not come with its head. */
const SLOW_BODY_MS = 50;
const WITHOUT_BODY: ReadCall = { body: undefined, idempotency: null };

interface ReadCall {
  /** Undefined for GET. */
  body: unknown;
  /** The call's Idempotency-Key with what a repeat has to have in common with it. */
  idempotency: { key: string; digest: string } | null;
}

/** Parses a body, whose bytes nobody holds afterwards. */
function parseCall(route: GatewayRoute, request: Inbound, bytes: Uint8Array): ReadCall {
  const body = readJsonObject(bytes, jsonLimits(route));
  const key = readIdempotencyKey(request);
  return { body, idempotency: key === null ? null : { key, digest: digestRequest(request, bytes) } };
}

function readTags(request: Inbound): string | null {
  const tags = request.headers.get("x-patchbay-tags");
  if (tags === undefined) return null;
  if (tags.length > MAX_TAGS_LENGTH)
    throw new AppError("invalid", `x-patchbay-tags is longer than ${MAX_TAGS_LENGTH} characters.`);
  return tags;
}

function gatewayContext(
  services: GatewayServices,
  caller: KeyWithOwner,
  request: Inbound,
  onOpened: GatewayContext["onOpened"],
): GatewayContext {
  return {
    services,
    caller,
    peer: request.peer,
    requestId: request.requestId,
    tags: readTags(request),
    isNoStore: request.headers.get("cache-control")?.includes("no-store") ?? false,
    signal: request.signal,
    receivedAt: request.receivedAt,
    onOpened,
  };
}

/** Calls `leave` when the reply's body has ended, however it ends; at once for one that is whole. */
function leavingAtEnd(reply: Outbound, leave: () => void): Outbound {
  if (reply.body === null || reply.body instanceof Uint8Array) {
    leave();
    return reply;
  }
  const source = reply.body[Symbol.asyncIterator]();
  const watch = async (step: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await step;
      if (result.done) leave();
      return result;
    } catch (error) {
      leave();
      throw error;
    }
  };
  const chunks: AsyncIterator<Uint8Array> = {
    next: () => watch(source.next()),
    async return() {
      try {
        await source.return?.();
      } finally {
        leave();
      }
      return { done: true, value: undefined };
    },
  };
  return { ...reply, body: { [Symbol.asyncIterator]: () => chunks } };
}

/**
 * Checks for a stored reply what a new request is checked for besides the key itself: its operations and models, and
 * that no budget is 0. `current`: with the key as it is now. Returns `current`; throws what the new request would.
 */
async function authorizeReplay(
  route: GatewayRoute,
  current: GatewayContext,
  asked: { params: Parameters; body: unknown },
): Promise<GatewayContext> {
  const model = asked.params.model ?? modelOf(asked.body);
  if (model !== undefined) {
    if (route.operation === null) await getUsableModel(current, model);
    else await resolveModel(current, model, route.operation);
  }
  requireOpenBudget(current);
  return current;
}

function modelOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("model" in body)) return undefined;
  return typeof body.model === "string" ? body.model : undefined;
}

/** A call that was let in, and who makes it. */
interface Admitted {
  params: Parameters;
  pathFault: AppError | null;
  /** Null for GET. */
  slot: Slot | null;
  /** The key's record as it is now, with its owner. Throws what a new request with this key would. */
  authenticate(): Promise<KeyWithOwner>;
  /** The same; from arrival when that was a moment ago. */
  identify(): Promise<KeyWithOwner>;
}

async function readCall(
  route: GatewayRoute,
  services: ConsoleServices,
  request: Inbound,
  { slot, identify }: Admitted,
): Promise<ReadCall & { caller: KeyWithOwner }> {
  if (route.method === "GET") return { ...WITHOUT_BODY, caller: await identify() };
  checkContentType(request, false);
  const bytes = await request.readBody(maxBodyBytes(route, services), slot?.body);
  const caller = await identify();
  return { ...parseCall(route, request, bytes), caller };
}

async function answerCall(
  route: GatewayRoute,
  services: ConsoleServices,
  request: Inbound,
  admitted: Admitted,
): Promise<Outbound> {
  let callHeaders: () => Record<string, string> = () => ({});
  try {
    if (admitted.pathFault !== null) throw admitted.pathFault;
    const { params } = admitted;
    const { body, idempotency, caller } = await readCall(route, services, request, admitted);
    const ctx = gatewayContext(services, caller, request, (headers) => {
      callHeaders = headers;
    });
    const execute: IdempotentCall["execute"] = (own) => route.handle(own, { body, params, request });
    const { slot } = admitted;
    if (idempotency === null || slot === null) return await execute(ctx);
    return await answerOnce(ctx, idempotency, {
      slot,
      execute,
      authorizeReplay: async (own) =>
        authorizeReplay(route, { ...own, caller: await admitted.authenticate() }, { params, body }),
    });
  } catch (error) {
    const failure = renderFailure(route.surface, error, request, services.log);
    return { ...failure, headers: { ...callHeaders(), ...failure.headers } };
  }
}

/**
 * One gateway call (DESIGN §4): set up? → key → slot among the calls at once → requests per minute → content type, size
 * → the key again after a slow body → JSON → handle. The slot is given back when the reply has ended. `pathFault` is
 * what is wrong with the path's model id, told to callers with a key. Throws what comes before the call is admitted.
 */
export async function runGatewayRoute(
  route: GatewayRoute,
  services: ConsoleServices,
  request: Inbound,
  params: Parameters,
  pathFault: AppError | null,
): Promise<Outbound> {
  await requireSetUp(services);
  const presented = presentedKey(request, route.takesGoogleKey ?? route.surface === "gemini");
  const authenticate = () => authenticateKey(services, presented, request.peer);
  const arrived = await authenticate();
  const arrivedAt = services.clock.monotonic();
  // A key that was revoked or narrowed while a slow body came in counts as it stands now.
  const identify = async () =>
    services.clock.monotonic() - arrivedAt > SLOW_BODY_MS ? authenticate() : arrived;
  const sentKey = request.headers.get("idempotency-key") ?? null;
  const slot = route.method === "GET" ? null : await enterGateway(services, arrived, request.signal, sentKey);
  const leave = () => slot?.leave();
  try {
    const limitHeaders = admitRequest(services, arrived);
    const reply = await answerCall(route, services, request, {
      params,
      pathFault,
      slot,
      authenticate,
      identify,
    });
    return leavingAtEnd({ ...reply, headers: { ...limitHeaders, ...reply.headers } }, leave);
  } catch (error) {
    leave();
    throw error;
  }
}
