import type { Metadata } from "next";
import { RequestsPage } from "@/components/requests/requests-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/process/container";
import { type PageQuery, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["requests"]).requests.page.title };
}

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/logs", await searchParams);
  const { services } = await getContainer();
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["requests"])}>
      <RequestsPage now={services.clock.now()} />
    </MessagesProvider>
  );
}
