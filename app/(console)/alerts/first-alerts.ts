import type { FirstAlerts } from "@/lib/client/alerts";
import { listAlerts, summarizeAlerts } from "@/lib/console/alerts/list";
import { PAGE_SIZE } from "@/lib/contracts/paging";
import type { requireAdminPage } from "../guard";
import { pageContext } from "../page-context";

/** The page's initial alerts, so that its layout does not shift when the browser loads them. */
export async function readFirstAlerts(
  pageSession: Awaited<ReturnType<typeof requireAdminPage>>,
): Promise<FirstAlerts> {
  const ctx = await pageContext(pageSession);
  const [open, resolved, summary] = await Promise.all([
    listAlerts(ctx, { state: "opened", limit: 100 }),
    listAlerts(ctx, { state: "resolved", limit: PAGE_SIZE }),
    summarizeAlerts(ctx),
  ]);
  return { open, resolved, summary };
}
