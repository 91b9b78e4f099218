import { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { AppError, isAppError } from "../../errors";
import { readSession } from "../../http/console/authenticate";
import { nextAuthOptions } from "../../http/console/next-auth-options";
import { consoleContext } from "../../http/console/pipeline";
import { readCookie, sessionCookie } from "../../http/console/session-cookie";
import type { Inbound, Outbound } from "../../http/core/exchange";
import { readJsonObject } from "../../http/core/read-json";
import { renderError } from "../../http/core/render-error";
import { createNextAdapter } from "../../http/next/adapter";
import { getContainer } from "./container";
import { authRefusal } from "./next-auth-endpoints";

const BODY_BYTES = 64 * 1024;

interface RouteContext {
  params: Promise<{ nextauth: string[] }>;
}

/** Serves next-auth's endpoints under `/api/auth` with our body reading and error rendering. */
export async function answerNextAuth(request: Request, context: RouteContext): Promise<Response> {
  const services = async () => (await getContainer()).services;
  const { nextauth } = await context.params;
  let inner: Response | null = null;
  const adapter = createNextAdapter(async (inbound): Promise<Outbound> => {
    try {
      const refusal = authRefusal(nextauth.join("/"), request.method);
      if (refusal !== null) throw refusal;
      inner = await runNextAuth(await services(), inbound, request, context);
      return { status: 200, headers: {}, body: null };
    } catch (error) {
      if (isAppError(error)) return renderError("console", error);
      const { log } = await services();
      log.error("next_auth_failed", { cause: error instanceof Error ? error.message : "unknown" });
      return renderError("console", new AppError("internal", "Internal error."));
    }
  }, services);
  const outer = await adapter(request);
  return inner ?? outer;
}

async function runNextAuth(
  services: Awaited<ReturnType<typeof getContainer>>["services"],
  inbound: Inbound,
  request: Request,
  context: RouteContext,
): Promise<Response> {
  const body = request.method === "POST" ? await inbound.readBody(BODY_BYTES) : null;
  const isJson = inbound.headers.get("content-type")?.includes("json") ?? false;
  // next-auth answers 500 to a body it cannot read.
  if (body !== null && isJson) readJsonObject(body);
  const forwarded = new NextRequest(request.url, {
    // next-auth does not know HEAD; Next leaves out the body of its reply.
    method: request.method === "HEAD" ? "GET" : request.method,
    headers: request.headers,
    // The bytes do not use shared memory, which their type does not show.
    body: body as Uint8Array<ArrayBuffer> | null,
  });
  const { name } = sessionCookie(inbound.peer.isSecure);
  // Throws if the store is unavailable: next-auth would take that for an ended session and remove its cookie.
  await readSession(services, readCookie(inbound.headers.get("cookie"), name));
  const options = nextAuthOptions(consoleContext(services, inbound, { kind: "anonymous" }));
  const response: Response = await NextAuth(forwarded, context, options);
  // next-auth's own reply to an update without its CSRF token is not JSON.
  if (inbound.method === "POST" && inbound.path === "/api/auth/session" && response.status === 400)
    throw new AppError("invalid", "csrfToken: Must be the token of /api/auth/csrf, sent with its cookie.");
  response.headers.set("cache-control", "no-store");
  response.headers.set("x-request-id", inbound.requestId);
  return response;
}
