import type { Metadata } from "next";
import { NotFoundContent, NotFoundPage } from "@/components/shell/message-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { getPageSession } from "@/lib/server/process/page-session";
import { requestLocale } from "../request";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["common"]).common.error.notFoundTitle };
}

/** Without a session there is no shell around the page (layout.tsx). */
export default async function NotFound() {
  return (await getPageSession()) ? <NotFoundContent /> : <NotFoundPage />;
}
