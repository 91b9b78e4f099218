import type { z } from "zod";
import { takeMemberChange } from "../../console/auth/attempt-limit";
import type { ConsoleCaller, ConsoleContext, ConsoleServices } from "../../console/context";
import { describeAsSentence, issuesOf } from "../../contracts/describe-issue";
import { AppError, type Issue, isAppError } from "../../errors";
import { checkContentType, checkRawType } from "../core/content-type";
import { type Inbound, jsonReply, type Outbound } from "../core/exchange";
import { requireSetUp } from "../core/is-set-up";
import { JSON_LIMITS, type JsonLimits, readJsonObject } from "../core/read-json";
import type { ConsoleReply, ConsoleRoute, Parameters } from "../core/route";
import { authenticateConsole, requireSameOrigin } from "./authenticate";

const ANONYMOUS: ConsoleCaller = { kind: "anonymous" };

/**
 * Parses `input` with `schema`; every error is in `issues`, with those of `moreIssues` for other fields. Throws
 * `invalid`.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  moreIssues: () => readonly Issue[] = () => [],
): z.output<Schema> {
  const result = schema.safeParse(input, { error: describeAsSentence });
  if (result.success) return result.data;
  const found = issuesOf(result.error);
  const paths = new Set(found.map(({ path }) => path));
  const issues = [...found, ...moreIssues().filter(({ path }) => !paths.has(path))];
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const message =
    first === undefined ? "The request is not valid." : `${first.path || "body"}: ${first.message}${more}`;
  throw new AppError("invalid", message, { issues });
}

/** Query parameters of lists that clients may send empty, which counts as not sent. */
const MAY_BE_EMPTY = new Set(["cursor", "q"]);

function readQuery(query: string): Record<string, string> {
  const values: Record<string, string> = {};
  if (query === "") return values;
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(values, name))
      throw new AppError("invalid", `The query parameter '${name}' is given twice.`);
    values[name] = value;
  }
  for (const name of MAY_BE_EMPTY) if (values[name] === "") delete values[name];
  return values;
}

async function findCaller(
  route: ConsoleRoute,
  services: ConsoleServices,
  request: Inbound,
): Promise<ConsoleCaller> {
  if (!request.headers.has("cookie") && !request.headers.has("authorization")) return ANONYMOUS;
  try {
    return await authenticateConsole(services, request);
  } catch (error) {
    // A public route ignores invalid credentials, but not an unavailable store.
    if (route.auth !== "none" || !isAppError(error) || error.code === "storage_unavailable") throw error;
    return ANONYMOUS;
  }
}

/**
 * Authenticates again once a body has arrived: a slow body keeps a request open, and its user may have been signed
 * out, disabled or demoted meanwhile. Anonymous callers stay anonymous.
 */
async function findCallerAfterBody(
  route: ConsoleRoute,
  services: ConsoleServices,
  request: Inbound,
  arrived: ConsoleCaller,
): Promise<ConsoleCaller> {
  if (route.method === "GET" || arrived.kind === "anonymous") return arrived;
  const caller = await findCaller(route, services, request);
  requireLevel(route, caller);
  return caller;
}

function requireLevel(route: ConsoleRoute, caller: ConsoleCaller): void {
  if (route.auth === "none") return;
  const isForKeys = route.auth === "sessionOrManageKey" || route.auth === "adminOrManageKey";
  if (caller.kind === "anonymous")
    throw new AppError(
      "unauthenticated",
      isForKeys ? "Sign in, or send an API key with the operation 'manage'." : "Sign in first.",
    );
  if (!isForKeys && caller.kind !== "session")
    throw new AppError("forbidden", "This requires a signed-in session; an API key is not accepted.");
  const isForAdmins = route.auth === "adminOrManageKey" || route.auth === "adminSession";
  if (isForAdmins && caller.user.role === "member")
    throw new AppError("forbidden", "This requires the role admin or owner.");
  if (route.auth === "ownerSession" && caller.user.role !== "owner")
    throw new AppError("forbidden", "This requires the role owner.");
  if (caller.mustEnrol && !route.allowedWithoutTwoFactor)
    throw new AppError("forbidden", "Your role requires 2FA: enable it under Account first.");
}

/**
 * True for changes that a member's limit counts. Deletions and password changes are not limited here, so that a member
 * can always delete a misused key or session; password changes have their own limit.
 */
function isLimitedChange({ auth, method, path }: ConsoleRoute): boolean {
  return auth !== "none" && method !== "GET" && method !== "DELETE" && path !== "/api/user/password";
}

function hasBody(request: Inbound): boolean {
  const length = request.headers.get("content-length");
  return (length !== undefined && length !== "0") || request.headers.has("transfer-encoding");
}

/** Routes with their own body size, such as those that take a file, accept as many keys as fit into it. */
function jsonLimits({ maxBodyBytes }: ConsoleRoute): JsonLimits {
  if (maxBodyBytes === undefined) return JSON_LIMITS;
  const maxKeys = Math.floor(maxBodyBytes / 32);
  return { ...JSON_LIMITS, maxKeys, maxValues: JSON_LIMITS.maxValues + maxKeys };
}

async function readBody(route: ConsoleRoute, services: ConsoleServices, request: Inbound): Promise<unknown> {
  if (route.rawBody !== undefined) checkRawType(request, route.rawBody);
  if (route.method === "GET" || route.rawBody !== undefined) return undefined;
  // Without a body there is no content type to check; requireSameOrigin refuses other sites.
  const isBare = route.body === undefined && !hasBody(request);
  checkContentType(request, !isBare);
  if (isBare) return undefined;
  const limits = services.instance.limits;
  const bytes = await request.readBody(route.maxBodyBytes ?? limits.consoleBodyBytes);
  if (route.body !== undefined) {
    const fields = readJsonObject(bytes, jsonLimits(route));
    await route.checkFirst?.(services);
    return parseInput(route.body, fields, () => route.moreIssues?.(services, fields) ?? []);
  }
  if (bytes.length > 0 && Object.keys(readJsonObject(bytes)).length > 0)
    throw new AppError("invalid", "This endpoint accepts no fields.");
  return undefined;
}

/** The context of a console handler. */
export function consoleContext(
  services: ConsoleServices,
  request: Inbound,
  caller: ConsoleCaller,
): ConsoleContext {
  return {
    ...services,
    caller,
    peer: request.peer,
    device: describeDevice(request.headers.get("user-agent")),
    requestId: request.requestId,
  };
}

/**
 * Runs one request of the console API: same origin → set up → authentication and role → a member's limit of changes →
 * content type, size, JSON, fields → authentication again → handler. A raw body is read by the handler: `readBytes`
 * authenticates again after it; `streamBytes`, for endpoints that store nothing, does not.
 */
export async function runConsoleRoute(
  route: ConsoleRoute,
  services: ConsoleServices,
  request: Inbound,
  params: Parameters,
): Promise<Outbound> {
  if (route.method !== "GET") requireSameOrigin(request, services.instance.baseUrl ?? null);
  if (route.path.startsWith("/api/user/login")) await requireSetUp(services);
  const arrived = await findCaller(route, services, request);
  requireLevel(route, arrived);
  if (isLimitedChange(route) && arrived.kind !== "anonymous" && arrived.user.role === "member")
    await takeMemberChange(services, arrived.user.id);
  const body = await readBody(route, services, request);
  const readBytes = async () => {
    const bytes = await request.readBody(route.maxBodyBytes ?? 0);
    await findCallerAfterBody(route, services, request, arrived);
    return bytes;
  };
  const streamBytes = () => request.streamBody(route.maxBodyBytes ?? 0);
  const caller = await findCallerAfterBody(route, services, request, arrived);
  const given = readQuery(request.query);
  const query = route.query === undefined ? undefined : parseInput(route.query, given);
  const context = consoleContext(services, request, caller);
  const input = { body, query, params, request, readBytes, streamBytes };
  const reply: ConsoleReply = (await route.handle(context, input)) ?? { data: null };
  if (reply.download !== undefined) {
    const { contentType, name, body: file } = reply.download;
    const headers = { "content-type": contentType, "content-disposition": `attachment; filename="${name}"` };
    return { status: 200, headers, body: file };
  }
  if (reply.stream !== undefined) {
    const { contentType, body: stream } = reply.stream;
    return { status: 200, headers: { ...reply.headers, "content-type": contentType }, body: stream };
  }
  return jsonReply(
    reply.status ?? 200,
    { success: true, message: "", data: reply.data ?? null },
    { ...reply.headers, ...(reply.cookies?.length ? { "set-cookie": reply.cookies } : {}) },
  );
}

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

function firstMatch(table: readonly [RegExp, string][], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}

/** Describes a user agent for the list of sessions, such as `Firefox on Linux`, without its own text. */
function describeDevice(userAgent: string | undefined): string {
  const text = (userAgent ?? "").slice(0, 512);
  const browser = firstMatch(BROWSERS, text);
  const system = firstMatch(SYSTEMS, text);
  if (browser === undefined) return system === undefined ? "Unknown device" : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
