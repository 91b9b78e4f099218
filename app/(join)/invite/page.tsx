import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { InvitePage } from "@/components/sign-in/join/invite-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { getPageSession } from "@/lib/server/process/page-session";
import { requestLocale } from "../../request";
import { isSetUp } from "../../setup-state";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["join"]).join.invite.title };
}

/** Open to whoever holds a link; its token stands in the fragment, so only the browser sees it. */
export default async function Page() {
  if (!(await isSetUp())) redirect("/setup");
  const found = await getPageSession();
  return <InvitePage signedInAs={found?.user.username ?? null} />;
}
