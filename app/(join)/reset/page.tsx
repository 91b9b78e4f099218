import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { ResetPage } from "@/components/sign-in/join/reset-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { getPageSession } from "@/lib/server/process/page-session";
import { requestLocale } from "../../request";
import { isSetUp } from "../../setup-state";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["join"]).join.reset.title };
}

/** Public. The link's token is in the URL fragment, which is never sent to the server. */
export default async function Page() {
  if (!(await isSetUp())) redirect("/setup");
  const pageSession = await getPageSession();
  return <ResetPage signedInAs={pageSession?.user.username ?? null} />;
}
