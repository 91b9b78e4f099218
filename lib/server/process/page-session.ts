import { cookies, headers } from "next/headers";
import { cache } from "react";
import type { LiveSession } from "../../console/auth/find-live-session";
import { readSession } from "../../http/console/authenticate";
import { pendingCookie, sessionCookie } from "../../http/console/session-cookie";
import { PEER_HEADER, peerFrom } from "../../http/core/peer-header";
import { getContainer } from "./container";

/** The session of the page that is being rendered, read once per render; null when the visitor is not signed in. */
export const getPageSession = cache(async (): Promise<LiveSession | null> => {
  const { services } = await getContainer();
  return readSession(services, await readPageCookie(sessionCookie));
});

/** True when the request has a session cookie, even of a session that has ended. */
export const hasSessionCookie = async (): Promise<boolean> => (await readPageCookie(sessionCookie)) !== null;

/** True when the request has the cookie of a sign-in that waits for a 2FA code. */
export const hasPendingCookie = async (): Promise<boolean> => (await readPageCookie(pendingCookie)) !== null;

async function readPageCookie(cookieOf: typeof sessionCookie): Promise<string | null> {
  const { services } = await getContainer();
  const peer = peerFrom((await headers()).get(PEER_HEADER), services.instance.baseUrl ?? null);
  const { name } = cookieOf(peer.isSecure);
  return (await cookies()).get(name)?.value ?? null;
}
