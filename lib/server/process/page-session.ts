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
  const peer = peerFrom((await headers()).get(PEER_HEADER), services.instance.baseUrl ?? null);
  const { name } = sessionCookie(peer.isSecure);
  return readSession(services, (await cookies()).get(name)?.value ?? null);
});
