import { AlertsPage } from "@/components/alerts/alerts-page";
import { listAlerts, summarizeAlerts } from "@/lib/console/alerts/manage";
import { PAGE_SIZE } from "@/lib/contracts/paging";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("alerts");

export default async function Page({ searchParams }: PageQuery) {
  const ctx = await pageContext(await requireAdminPage("/alerts", await searchParams));
  const [open, resolved, summary] = await Promise.all([
    listAlerts(ctx, { state: "opened", limit: PAGE_SIZE }),
    listAlerts(ctx, { state: "resolved", limit: PAGE_SIZE }),
    summarizeAlerts(ctx),
  ]);
  return (
    <PageMessages areas={["alerts", "channels"]}>
      <AlertsPage first={{ open, resolved, summary }} />
    </PageMessages>
  );
}
