import type { Metadata } from "next";
import { NotFoundContent, NotFoundPage } from "@/components/shell/message-page";
import { Shell } from "@/components/shell/shell";
import { messagesFor } from "@/lib/messages/catalogue";
import { getPageSession } from "@/lib/server/process/page-session";
import { requestLocale } from "./request";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["common"]).common.error.notFoundTitle };
}

/** An unknown address: inside the shell for a signed-in user. */
export default async function NotFound() {
  const pageSession = await getPageSession();
  if (!pageSession) return <NotFoundPage />;
  const { username, displayName, role } = pageSession.user;
  return (
    <Shell user={{ username, displayName, role }}>
      <NotFoundContent />
    </Shell>
  );
}
