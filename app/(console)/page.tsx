import { OverviewPage } from "@/components/overview/overview-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale, servedOrigin } from "../request";
import { requirePageSession } from "./guard";
import { readInitialOverview } from "./overview";

export const generateMetadata = () => pageTitle("overview");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const found = await requirePageSession("/", query);
  const [origin, locale, first] = await Promise.all([
    servedOrigin(),
    requestLocale(),
    readInitialOverview(found, query),
  ]);
  return (
    <MessagesProvider messages={messagesFor(locale, ["overview", "calls", "channels"])}>
      <OverviewPage origin={origin} isAdmin={found.user.role !== "member"} {...first} />
    </MessagesProvider>
  );
}
