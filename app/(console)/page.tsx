import { OverviewPage } from "@/components/overview/overview-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale, servedOrigin } from "../request";
import { requirePageSession } from "./guard";
import { readInitialOverview } from "./overview";

export const generateMetadata = () => pageTitle("overview");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const pageSession = await requirePageSession("/", query);
  const [origin, locale, initial] = await Promise.all([
    servedOrigin(),
    requestLocale(),
    readInitialOverview(pageSession, query),
  ]);
  return (
    <MessagesProvider messages={messagesFor(locale, ["overview", "requests", "channels"])}>
      <OverviewPage origin={origin} isAdmin={pageSession.user.role !== "member"} {...initial} />
    </MessagesProvider>
  );
}
