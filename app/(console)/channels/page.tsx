import { ChannelsPage } from "@/components/channels/channels-page";
import { countChannelAttempts } from "@/lib/console/channels/list-errors";
import { listChannels } from "@/lib/console/channels/manage";
import { summarizeUsage } from "@/lib/console/usage/summarize";
import { MAX_PAGE_SIZE } from "@/lib/contracts/paging";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page({ searchParams }: PageQuery) {
  const ctx = await pageContext(await requireAdminPage("/channels", await searchParams));
  const [channels, traffic, attempts] = await Promise.all([
    listChannels(ctx, { limit: MAX_PAGE_SIZE }),
    summarizeUsage(ctx, { by: "channel" }),
    countChannelAttempts(ctx, {}),
  ]);
  return (
    <PageMessages areas={["channels"]}>
      <ChannelsPage first={{ channels, traffic, attempts }} />
    </PageMessages>
  );
}
