import { decode, encode } from "next-auth/jwt";
import type { ConsoleContext, ConsoleServices } from "../../console/context";
import { SIGN_IN_FLOW_MS } from "../../contracts/durations";

/** next-auth's cookie name; `__Host-` restricts it to this origin, https and the root path. */
const SESSION_NAME = "next-auth.session-token";
const PENDING_NAME = "patchbay.pending";
const PENDING_SECONDS = SIGN_IN_FLOW_MS / 1_000;
/** Our encrypted session IDs are far shorter; longer values are not ours. */
const MAX_LENGTH = 1024;

/** One definition for our own replies and next-auth's options. */
interface CookieDefinition {
  name: string;
  options: { httpOnly: true; sameSite: "lax"; path: "/"; secure: boolean };
}

function cookieOf(name: string, isSecure: boolean): CookieDefinition {
  return {
    name: isSecure ? `__Host-${name}` : name,
    options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  };
}

/** The session's cookie; `isSecure`: the service is reached over https. */
export function sessionCookie(isSecure: boolean): CookieDefinition {
  return cookieOf(SESSION_NAME, isSecure);
}

/** The cookie of a sign-in that waits for a 2FA code. */
export function pendingCookie(isSecure: boolean): CookieDefinition {
  return cookieOf(PENDING_NAME, isSecure);
}

function write({ name, options }: CookieDefinition, value: string, maxAgeSeconds: number): string {
  const secure = options.secure ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** `Set-Cookie` of a new session. The JWE holds only the session's ID and times. */
export async function writeSessionCookie(
  ctx: Pick<ConsoleContext, "signIn" | "clock" | "peer">,
  started: { sid: string; session: { expiresAt: number } },
): Promise<string> {
  const seconds = Math.max(0, Math.floor((started.session.expiresAt - ctx.clock.now()) / 1000));
  const value = await encryptSession(ctx, started.sid, seconds);
  return write(sessionCookie(ctx.peer.isSecure), value, seconds);
}

/** `Set-Cookie` that removes the session's cookie. */
export function clearSessionCookie({ peer }: Pick<ConsoleContext, "peer">): string {
  return write(sessionCookie(peer.isSecure), "", 0);
}

export function writePendingCookie({ peer }: Pick<ConsoleContext, "peer">, flowToken: string): string {
  return write(pendingCookie(peer.isSecure), flowToken, PENDING_SECONDS);
}

export function clearPendingCookie({ peer }: Pick<ConsoleContext, "peer">): string {
  return write(pendingCookie(peer.isSecure), "", 0);
}

/** The JWE of a session id, as next-auth makes its tokens (dir, A256GCM). */
export function encryptSession(
  services: Pick<ConsoleServices, "signIn">,
  sid: string,
  maxAgeSeconds: number,
): Promise<string> {
  return encode({ token: { sid }, secret: services.signIn.cookieSecret, maxAge: maxAgeSeconds });
}

/** The session id in a JWE; null when it is not ours, was altered, or has expired. */
export async function decryptSession(
  services: Pick<ConsoleServices, "signIn">,
  value: string,
): Promise<string | null> {
  if (value.length > MAX_LENGTH || !hasOurHeader(value)) return null;
  try {
    const token = await decode({ token: value, secret: services.signIn.cookieSecret });
    return typeof token?.sid === "string" ? token.sid : null;
  } catch {
    // Any decryption failure means the same: no session.
    return null;
  }
}

/** Accepts only the algorithms we encrypt with; the library would accept others with the same key size. */
function hasOurHeader(value: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(value.split(".")[0] ?? "", "base64url").toString("utf8"));
    return (
      typeof header === "object" &&
      header !== null &&
      "alg" in header &&
      header.alg === "dir" &&
      "enc" in header &&
      header.enc === "A256GCM"
    );
  } catch {
    return false;
  }
}

/** The value of one cookie of a `Cookie` header; null when absent. The first of several is used. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const cut = part.indexOf("=");
    if (cut > 0 && part.slice(0, cut).trim() === name) {
      const value = part.slice(cut + 1).trim();
      return value === "" ? null : value;
    }
  }
  return null;
}
