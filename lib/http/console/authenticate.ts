import { readSettings } from "../../console/access/read-settings";
import { mustEnrol } from "../../console/access/two-factor-roles";
import { findLiveSession } from "../../console/auth/find-live-session";
import type { ConsoleCaller, ConsoleServices } from "../../console/context";
import { AppError } from "../../errors";
import { authenticateKey } from "../../gateway/admission/authenticate-key";
import type { Inbound } from "../core/exchange";
import { decryptSession, readCookie, sessionCookie } from "./session-cookie";

/**
 * The console's caller: a management key (`Authorization: Bearer`, which takes precedence), or the session of the
 * cookie. Other schemes belong to proxies in front and are ignored. Throws `unauthenticated` for an invalid key,
 * `forbidden` for one that may not manage, `ip_not_allowed`, `rate_limited`, `storage_unavailable`. An invalid or
 * expired cookie gives an anonymous caller.
 */
export async function authenticateConsole(
  services: ConsoleServices,
  request: Inbound,
): Promise<ConsoleCaller> {
  const authorization = request.headers.get("authorization")?.trim() ?? "";
  const [scheme = "", ...rest] = authorization.split(" ");
  if (scheme.toLowerCase() === "bearer")
    return authenticateManageKey(services, rest.join(" ").trim(), request);

  const { name } = sessionCookie(request.peer.isSecure);
  const found = await readSession(services, readCookie(request.headers.get("cookie"), name));
  return found === null ? { kind: "anonymous" } : { kind: "session", ...found };
}

/** The live session behind a cookie's value with its user; null when there is none. */
export async function readSession(services: ConsoleServices, cookie: string | null) {
  if (cookie === null) return null;
  const sid = await decryptSession(services, cookie);
  return sid === null ? null : findLiveSession(services, sid);
}

async function authenticateManageKey(
  services: ConsoleServices,
  presented: string,
  request: Inbound,
): Promise<ConsoleCaller> {
  const { key } = await authenticateKey(services, presented, request.peer);
  const user = await services.store.users.findById(key.ownerId);
  if (!user?.enabled) throw new AppError("unauthenticated", "The owner of this API key is disabled.");
  if (!key.operations.includes("manage"))
    throw new AppError(
      "forbidden",
      "This API key does not have the operation 'manage', which admins and owners can give a key.",
    );
  if (user.role === "member")
    throw new AppError(
      "forbidden",
      "This API key has the operation 'manage', but its owner is a member and may no longer use it.",
    );
  const { two_factor_roles } = await readSettings(services.store);
  return {
    kind: "manage-key",
    user,
    key,
    mustEnrol: await mustEnrol(services.store, two_factor_roles, user),
  };
}

const CROSS_SITE = "This request came from another site and was refused.";

/**
 * Refuses writes that a page of another site made the browser send. `Sec-Fetch-Site` decides when
 * present; else the Origin's host and port must equal the Host's, or `baseUrl`'s whole origin when set. A caller that
 * sends neither is not a browser. Throws `forbidden`.
 */
export function requireSameOrigin(request: Inbound, baseUrl: string | null): void {
  const site = request.headers.get("sec-fetch-site");
  if (site !== undefined) {
    if (site === "same-origin" || site === "none") return;
    throw new AppError("forbidden", CROSS_SITE);
  }
  const origin = request.headers.get("origin");
  if (origin === undefined) return;
  if (!URL.canParse(origin)) throw new AppError("forbidden", CROSS_SITE);
  const from = new URL(origin);
  const isOurs =
    baseUrl === null
      ? from.host === withoutDefaultPort(request.headers.get("host") ?? "", from.protocol)
      : from.origin === new URL(baseUrl).origin;
  if (!isOurs) throw new AppError("forbidden", CROSS_SITE);
}

function withoutDefaultPort(host: string, protocol: string): string {
  const port = protocol === "https:" ? ":443" : ":80";
  const lower = host.toLowerCase();
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
}
