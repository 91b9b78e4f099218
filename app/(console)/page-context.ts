import { getContainer } from "@/lib/server/process/container";
import type { requirePageSession } from "./guard";

/** What the verbs of the console ask for, on behalf of who opens a page: for answers that a page has at once. */
export async function pageContext({ user, session }: Awaited<ReturnType<typeof requirePageSession>>) {
  const { services } = await getContainer();
  return { ...services, caller: { kind: "session" as const, user, session } };
}
