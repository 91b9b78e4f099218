import { ChannelsPage } from "@/components/channels/channels-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { countChannelAttempts } from "@/lib/console/channels/list-errors";
import { listChannels } from "@/lib/console/channels/manage";
import { summarizeUsage } from "@/lib/console/usage/summarize";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page({ searchParams }: PageQuery) {
  const ctx = await pageContext(await requireAdminPage("/channels", await searchParams));
  const [channels, traffic, attempts] = await Promise.all([
    listChannels(ctx),
    summarizeUsage(ctx, { by: "channel" }),
    countChannelAttempts(ctx),
  ]);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["channels"])}>
      <ChannelsPage first={{ channels, traffic, attempts }} />
    </MessagesProvider>
  );
}
