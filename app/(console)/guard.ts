import { notFound, redirect } from "next/navigation";
import { getPageSession } from "@/lib/server/process/page-session";
import { isSetUp } from "../setup-state";

/**
 * The session of a page of the console; without one the visitor goes to set-up or sign-in, and from there to `path`
 * with the query the page was asked for.
 */
export async function requirePageSession(
  path: string,
  query: Record<string, string | string[] | undefined> = {},
) {
  const found = await getPageSession();
  // Without the second factor that their role needs, only the account is open: it is set up there.
  if (found?.mustEnrol && path !== "/account") redirect("/account");
  if (found) return found;
  if (!(await isSetUp())) redirect("/setup");
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const asked = pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
  redirect(asked === "/" ? "/login" : `/login?return_to=${encodeURIComponent(asked)}`);
}

/** The same for a page of administrators; to a member it is not there. */
export async function requireAdminPage(
  path: string,
  query: Record<string, string | string[] | undefined> = {},
) {
  const found = await requirePageSession(path, query);
  if (found.user.role === "member") notFound();
  return found;
}
