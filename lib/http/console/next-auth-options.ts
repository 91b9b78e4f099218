import type { AuthOptions } from "next-auth";
import { findLiveSession } from "../../console/auth/find-live-session";
import { signOut } from "../../console/auth/sessions";
import type { ConsoleContext } from "../../console/context";
import { safeReturnPath } from "../../contracts/return-path";
import { decryptSession, encryptSession, sessionCookie } from "./session-cookie";

/** Longest session lifetime that the settings allow; the session's own expiry comes first. */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

/**
 * next-auth on our own sessions: its token holds the ID of a `sessions` row, looked up on every use, and is encrypted
 * like our own cookies. Without providers it can show and end a session but not start one; what a client sends with
 * `update` is ignored.
 */
export function nextAuthOptions(ctx: ConsoleContext): AuthOptions {
  return {
    secret: ctx.signIn.cookieSecret,
    session: { strategy: "jwt", maxAge: MAX_AGE_SECONDS },
    pages: { signIn: "/login", error: "/login" },
    cookies: { sessionToken: sessionCookie(ctx.peer.isSecure) },
    useSecureCookies: ctx.peer.isSecure,
    providers: [],
    jwt: {
      async encode({ token }) {
        const sid = typeof token?.sid === "string" ? token.sid : "";
        const live = await findLiveSession(ctx, sid);
        const leftMs = live === null ? 0 : live.session.expiresAt - ctx.clock.now();
        return encryptSession(ctx, sid, Math.max(0, Math.floor(leftMs / 1000)));
      },
      async decode({ token }) {
        const sid = token === undefined ? null : await decryptSession(ctx, token);
        return sid === null ? null : { sid };
      },
    },
    callbacks: {
      async jwt({ token: { sid } }) {
        if (typeof sid !== "string" || (await findLiveSession(ctx, sid)) === null) {
          throw new Error("The session has ended.");
        }
        return { sid };
      },
      async session({ token }) {
        const live = typeof token.sid === "string" ? await findLiveSession(ctx, token.sid) : null;
        if (live === null) throw new Error("The session has ended.");
        const { user, session } = live;
        return {
          user: { id: user.id, name: user.displayName, email: user.email, role: user.role },
          expires: new Date(session.expiresAt).toISOString(),
        };
      },
      redirect: ({ url, baseUrl }) => `${baseUrl}${safeReturnPath(pathOf(url, baseUrl))}`,
    },
    events: {
      async signOut({ token }) {
        const live = typeof token.sid === "string" ? await findLiveSession(ctx, token.sid) : null;
        if (live !== null) await signOut({ ...ctx, caller: { kind: "session", ...live } });
      },
    },
    logger: {
      error: (code) => ctx.log.info("next_auth", { code }),
      warn: (code) => ctx.log.info("next_auth", { code }),
      debug: () => undefined,
    },
  };
}

/** The path of a same-origin URL; any other URL unchanged, which safeReturnPath refuses. */
function pathOf(url: string, baseUrl: string): string {
  return url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url;
}
