import type { Metadata } from "next";
import { NotFoundPage } from "@/components/shell/message-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { requestLocale } from "./request";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["common"]).common.error.notFoundTitle };
}

export default NotFoundPage;
