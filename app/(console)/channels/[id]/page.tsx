import { ChannelPage } from "@/components/channels/channel-page";
import { MessagesProvider } from "@/components/intl/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../../request";
import { requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page({
  params,
  searchParams,
}: PageQuery & { params: Promise<{ id: string }> }) {
  const { id } = await params;
  await requireAdminPage(`/channels/${id}`, await searchParams);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["channels"])}>
      <ChannelPage id={decodeURIComponent(id)} />
    </MessagesProvider>
  );
}
