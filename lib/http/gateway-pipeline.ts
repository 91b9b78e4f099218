import { DEFAULT_LIMITS } from "../contracts/limits";
import type { GatewayContext, Services } from "../domain/context";
import { admitRequest } from "../domain/gateway/admit-request";
import { authenticateKey } from "../domain/gateway/authenticate-key";
import { requireOpenBudget } from "../domain/gateway/open-meter";
import { resolveModel } from "../domain/gateway/resolve-model";
import { getUsableModel } from "../domain/models/list-usable";
import { AppError } from "../errors";
import type { KeyWithOwner } from "../ports/store";
import { checkContentType } from "./content-type";
import type { Inbound, Outbound } from "./exchange";
import { answerOnce, type IdempotentCall, readIdempotencyKey } from "./idempotent-reply";
import { requireSetUp } from "./is-set-up";
import { presentedKey } from "./presented-key";
import { JSON_LIMITS, type JsonLimits, readJsonObject } from "./read-json";
import { renderFailure } from "./render-failure";
import type { GatewayRoute, Parameters } from "./route";

const MAX_TAGS_LENGTH = 256;
const TOKEN_LIMITS: JsonLimits = { ...JSON_LIMITS, maxArrayItems: 300_000 };

function jsonLimits(route: GatewayRoute): JsonLimits {
  if (route.maxArrayItems !== undefined) return { ...JSON_LIMITS, maxArrayItems: route.maxArrayItems };
  return route.operation === "embeddings" ? TOKEN_LIMITS : JSON_LIMITS;
}

function maxBodyBytes(route: GatewayRoute, services: Services): number {
  const limits = services.instance.limits ?? DEFAULT_LIMITS;
  if (route.operation === "embeddings") return limits.embeddingsBodyBytes;
  return route.maxBodyBytes ?? limits.jsonBodyBytes;
}

/** A body that took longer than this to arrive, in milliseconds, did not come with its head. */
const SLOW_BODY_MS = 50;
const NO_BODY = new Uint8Array(0);

async function readBytes(route: GatewayRoute, services: Services, request: Inbound): Promise<Uint8Array> {
  if (route.method === "GET") return NO_BODY;
  checkContentType(request, false);
  return request.readBody(maxBodyBytes(route, services));
}

function readTags(request: Inbound): string | null {
  const tags = request.headers.get("x-patchbay-tags");
  if (tags === undefined) return null;
  if (tags.length > MAX_TAGS_LENGTH)
    throw new AppError("invalid", `x-patchbay-tags is longer than ${MAX_TAGS_LENGTH} characters.`);
  return tags;
}

/** Named one by one: a spread of so many costs a hundred times as much, on every call. */
function gatewayContext(
  services: Services,
  caller: KeyWithOwner,
  request: Inbound,
  onOpened: GatewayContext["onOpened"],
): GatewayContext {
  const { store, clock, random, sealer, hasher, log, instance, setupGuard } = services;
  const { signIn, catalog, providers, webhook, limiter, countTokens, countTokensInSteps, encoder, metrics } =
    services;
  return {
    store,
    clock,
    random,
    sealer,
    hasher,
    log,
    instance,
    setupGuard,
    signIn,
    catalog,
    providers,
    webhook,
    limiter,
    countTokens,
    countTokensInSteps,
    encoder,
    metrics,
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

/**
 * Checks for a stored reply what a new request is checked for: the key itself (known, enabled, not expired, address),
 * its operations and models, and that no budget is 0. Returns the context with the key as it is now. Throws what the
 * new request would.
 */
async function authorizeReplay(
  route: GatewayRoute,
  ctx: GatewayContext,
  presented: string,
  asked: { params: Parameters; body: unknown },
): Promise<GatewayContext> {
  const current = { ...ctx, caller: await authenticateKey(ctx, presented, ctx.peer) };
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

/**
 * One gateway call: set up? → key → requests per minute → content type, size → the key again after a slow body → JSON
 * → handle. `pathFault` is what is wrong with the path's model id, told to those with a key. Throws only what comes before the key is admitted.
 */
export async function runGatewayRoute(
  route: GatewayRoute,
  services: Services,
  request: Inbound,
  params: Parameters,
  pathFault: AppError | null,
): Promise<Outbound> {
  await requireSetUp(services);
  const presented = presentedKey(request, route.takesGoogleKey ?? route.surface === "gemini");
  const arrived = await authenticateKey(services, presented, request.peer);
  const limitHeaders = admitRequest(services, arrived);
  let callHeaders: () => Record<string, string> = () => ({});
  let reply: Outbound;
  try {
    if (pathFault !== null) throw pathFault;
    const readingSince = services.clock.monotonic();
    const bytes = await readBytes(route, services, request);
    // A key that was revoked or narrowed while a slow body came in counts as it stands now.
    const isSlow = services.clock.monotonic() - readingSince > SLOW_BODY_MS;
    const caller = isSlow ? await authenticateKey(services, presented, request.peer) : arrived;
    const body = route.method === "GET" ? undefined : readJsonObject(bytes, jsonLimits(route));
    const call: IdempotentCall = {
      execute: (ctx) => route.handle(ctx, { body, params, request }),
      authorizeReplay: (ctx) => authorizeReplay(route, ctx, presented, { params, body }),
    };
    const ctx = gatewayContext(services, caller, request, (headers) => {
      callHeaders = headers;
    });
    const key = readIdempotencyKey(request);
    reply =
      key === null ? await call.execute(ctx) : await answerOnce(ctx, request, { key, body: bytes }, call);
  } catch (error) {
    const failure = renderFailure(route.surface, error, request, services.log);
    reply = { ...failure, headers: { ...callHeaders(), ...failure.headers } };
  }
  if (limitHeaders === null) return reply;
  return { ...reply, headers: { ...limitHeaders, ...reply.headers } };
}
