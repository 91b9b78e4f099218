import { ChannelsPage } from "@/components/channels/channels-page";
import { MessagesProvider } from "@/components/intl/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/channels", await searchParams);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["channels"])}>
      <ChannelsPage />
    </MessagesProvider>
  );
}
