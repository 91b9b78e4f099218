import { getContainer } from "@/lib/server/process/container";
import type { requirePageSession } from "./guard";

/** The context of console verbs for the signed-in user, to read a page's initial data on the server. */
export async function pageContext({ user, session }: Awaited<ReturnType<typeof requirePageSession>>) {
  const { services } = await getContainer();
  return { ...services, caller: { kind: "session" as const, user, session } };
}
