import { ChannelPage } from "@/components/channels/channel-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { listChannels } from "@/lib/console/channels/list";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../../request";
import { requireAdminPage } from "../../guard";
import { pageContext } from "../../page-context";

export const generateMetadata = () => pageTitle("channels");

export default async function Page({
  params,
  searchParams,
}: PageQuery & { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const found = await requireAdminPage(`/channels/${id}`, await searchParams);
  const known = decodeURIComponent(id);
  const { items } = await listChannels(await pageContext(found));
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["channels"])}>
      <ChannelPage id={known} first={items.find((one) => one.id === known) ?? null} />
    </MessagesProvider>
  );
}
