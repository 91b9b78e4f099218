import { ChannelPage } from "@/components/channels/channel-page";
import { listChannels } from "@/lib/console/channels/manage";
import { PageMessages } from "../../../page-messages";
import { type PageQuery, pageTitleOf } from "../../../request";
import { pageContext, requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitleOf("channels", (messages) => messages.titles.one);

export default async function Page({
  params,
  searchParams,
}: PageQuery & { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const pageSession = await requireAdminPage(`/channels/${id}`, await searchParams);
  const channelId = decodeURIComponent(id);
  const { items } = await listChannels(await pageContext(pageSession));
  return (
    <PageMessages areas={["channels"]}>
      <ChannelPage id={channelId} first={items.find((one) => one.id === channelId) ?? null} />
    </PageMessages>
  );
}
