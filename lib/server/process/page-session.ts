import { cookies, headers } from "next/headers";
import { cache } from "react";
import { readSession } from "../../http/console/authenticate";
import { sessionCookie } from "../../http/console/session-cookie";
import { PEER_HEADER, peerFrom } from "../../http/core/peer-header";
import type { SessionRecord, UserRecord } from "../../ports/store";
import { getContainer } from "./container";

interface PageSession {
  user: UserRecord;
  session: SessionRecord;
  /** The user's role requires 2FA, which is not set up. */
  mustEnrol: boolean;
}

/** The session of the page that is being rendered, read once per render; null when the visitor is not signed in. */
export const getPageSession = cache(async (): Promise<PageSession | null> => {
  const { services } = await getContainer();
  const peer = peerFrom((await headers()).get(PEER_HEADER), services.instance.baseUrl ?? null);
  const { name } = sessionCookie(peer.isSecure);
  return readSession(services, (await cookies()).get(name)?.value ?? null);
});
