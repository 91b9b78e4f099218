import { cookies, headers } from "next/headers";
import { cache } from "react";
import type { LiveSession } from "../../console/auth/find-live-session";
import { readSession } from "../../http/console/authenticate";
import { sessionCookie } from "../../http/console/session-cookie";
import { PEER_HEADER, peerFrom } from "../../http/core/peer-header";
import { getContainer } from "./container";

/** The session of the page that is being rendered, read once per render; null when the visitor is not signed in. */
export const getPageSession = cache(async (): Promise<LiveSession | null> => {
  const { services } = await getContainer();
  return readSession(services, await readSessionCookie());
});

/** True with the cookie of a session, also of one that has ended. */
export const hasSessionCookie = async (): Promise<boolean> => (await readSessionCookie()) !== null;

async function readSessionCookie(): Promise<string | null> {
  const { services } = await getContainer();
  const peer = peerFrom((await headers()).get(PEER_HEADER), services.instance.baseUrl ?? null);
  const { name } = sessionCookie(peer.isSecure);
  return (await cookies()).get(name)?.value ?? null;
}
