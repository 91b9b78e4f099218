import { redirect } from "next/navigation";
import { getPageSession } from "@/lib/server/page-session";
import { isClaimed } from "../claim";

/** The session of a page of the console; without one the visitor goes to set-up or sign-in, and from there to `path`. */
export async function requirePageSession(path: string) {
  const found = await getPageSession();
  if (found) return found;
  if (!(await isClaimed())) redirect("/setup");
  redirect(path === "/" ? "/login" : `/login?return_to=${encodeURIComponent(path)}`);
}
