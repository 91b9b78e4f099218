import { AlertsPage } from "@/components/alerts/alerts-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { listAlerts, summarizeAlerts } from "@/lib/console/alerts/manage";
import { PAGE_SIZE } from "@/lib/contracts/paging";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("alerts");

export default async function Page({ searchParams }: PageQuery) {
  const ctx = await pageContext(await requireAdminPage("/alerts", await searchParams));
  const [open, resolved, summary] = await Promise.all([
    listAlerts(ctx, { state: "opened", limit: 100 }),
    listAlerts(ctx, { state: "resolved", limit: PAGE_SIZE }),
    summarizeAlerts(ctx),
  ]);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["alerts"])}>
      <AlertsPage first={{ open, resolved, summary }} />
    </MessagesProvider>
  );
}
