import type { FirstAlerts } from "@/lib/client/alerts";
import { listAlerts, summarizeAlerts } from "@/lib/console/alerts/list";
import { PAGE_SIZE } from "@/lib/contracts/paging";
import type { requireAdminPage } from "../guard";
import { pageContext } from "../page-context";

/** The alerts that the page shows at once, so that nothing on it moves when the answers come. */
export async function readFirstAlerts(
  found: Awaited<ReturnType<typeof requireAdminPage>>,
): Promise<FirstAlerts> {
  const ctx = await pageContext(found);
  const [open, resolved, summary] = await Promise.all([
    listAlerts(ctx, { state: "opened", limit: 100 }),
    listAlerts(ctx, { state: "resolved", limit: PAGE_SIZE }),
    summarizeAlerts(ctx),
  ]);
  return { open, resolved, summary };
}
