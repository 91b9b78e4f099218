import type { AuthOptions } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { safeReturnPath } from "../contracts/return-path";
import { findLiveSession } from "../domain/auth/find-live-session";
import { logOut } from "../domain/auth/log-out";
import { redeemSessionTicket } from "../domain/auth/session-ticket";
import type { ConsoleContext } from "../domain/context";
import { openSession, sealSession, sessionCookie } from "./session-cookie";

/** Longest life of a session that the settings allow; the row's own end comes first. */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

interface TicketHolder {
  id: string;
  sid: string;
}

/**
 * next-auth over our own sessions: its token is a pointer to a row of `sessions`, looked up on every use, sealed and
 * opened as our own cookies are. The only way in is a ticket minted after every factor has passed; what a client
 * sends with `update` is ignored.
 */
export function nextAuthOptions(ctx: ConsoleContext): AuthOptions {
  return {
    secret: ctx.signIn.cookieSecret,
    session: { strategy: "jwt", maxAge: MAX_AGE_SECONDS },
    pages: { signIn: "/login", error: "/login" },
    cookies: { sessionToken: sessionCookie(ctx.peer.isSecure) },
    useSecureCookies: ctx.peer.isSecure,
    providers: [
      CredentialsProvider({
        name: "Ticket",
        credentials: { ticket: { type: "text" } },
        async authorize(credentials): Promise<TicketHolder | null> {
          const ticket: unknown = credentials?.ticket;
          if (typeof ticket !== "string" || ticket === "") return null;
          const redeemed = await redeemSessionTicket(ctx, ticket);
          return redeemed === null ? null : { id: redeemed.user.id, sid: redeemed.started.sid };
        },
      }),
    ],
    jwt: {
      async encode({ token }) {
        const sid = typeof token?.sid === "string" ? token.sid : "";
        const live = await findLiveSession(ctx, sid);
        const leftMs = live === null ? 0 : live.session.expiresAt - ctx.clock.now();
        return sealSession(ctx, sid, Math.max(0, Math.floor(leftMs / 1000)));
      },
      async decode({ token }) {
        const sid = token === undefined ? null : await openSession(ctx, token);
        return sid === null ? null : { sid };
      },
    },
    callbacks: {
      async jwt({ token, user }) {
        // `user` is there at sign-in alone: what authorize has just returned.
        const sid = user !== undefined && "sid" in user ? user.sid : token.sid;
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
        if (live !== null) await logOut({ ...ctx, caller: { kind: "session", ...live } });
      },
    },
    logger: {
      error: (code) => ctx.log.info("next_auth", { code }),
      warn: (code) => ctx.log.info("next_auth", { code }),
      debug: () => undefined,
    },
  };
}

/** A same-origin address as its path; everything else as it stands, for safeReturnPath to refuse. */
function pathOf(url: string, baseUrl: string): string {
  return url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url;
}
