import { notFound, redirect } from "next/navigation";
import { signInPath } from "@/lib/contracts/return-path";
import { getContainer } from "@/lib/server/process/container";
import { getPageSession, hasSessionCookie } from "@/lib/server/process/page-session";
import type { PageQuery } from "../request";
import { isSetUp } from "../setup-state";

type Query = Awaited<PageQuery["searchParams"]>;

/**
 * The session of a console page. Without one, redirects to setup or to sign-in, which returns to `path` and `query`.
 * The sign-in page says that the session has ended only if the browser still sends the cookie: without it, the user has
 * signed out or never signed in.
 */
export async function requirePageSession(path: string, query: Query = {}) {
  const pageSession = await getPageSession();
  // A user whose role requires 2FA can open only the account page, where it is enabled.
  if (pageSession?.mustEnrol && path !== "/account") redirect("/account");
  if (pageSession) return pageSession;
  if (!(await isSetUp())) redirect("/setup");
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const returnTo = pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
  redirect(signInPath(returnTo, await hasSessionCookie()));
}

export type PageSession = Awaited<ReturnType<typeof requirePageSession>>;

/** The session of an administrators' page; for a member the page does not exist (404). */
export async function requireAdminPage(path: string, query: Query = {}): Promise<PageSession> {
  const pageSession = await requirePageSession(path, query);
  if (pageSession.user.role === "member") notFound();
  return pageSession;
}

/** The context of console verbs for the signed-in user, to read a page's initial data on the server. */
export async function pageContext({ user, session }: PageSession) {
  const { services } = await getContainer();
  return { ...services, caller: { kind: "session" as const, user, session } };
}
