import { RequestsPage } from "@/components/requests/requests-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/process/container";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("logs");

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/logs", await searchParams);
  const { services } = await getContainer();
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["requests"])}>
      <RequestsPage now={services.clock.now()} />
    </MessagesProvider>
  );
}
