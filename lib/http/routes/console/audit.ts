import { listAudit } from "../../../console/audit/list";
import { verifyAudit } from "../../../console/audit/verify";
import { consoleRoute } from "../../core/route";

export const AUDIT_ROUTES = [
  consoleRoute("GET /api/audit", {
    auth: "session",
    summary: "List what was changed, by whom and from where",
    handle: async (ctx, { query }) => ({ data: await listAudit(ctx, query) }),
  }),
  consoleRoute("GET /api/audit/verify", {
    auth: "session",
    summary: "Check that no row of the audit log was changed or removed",
    handle: async (ctx) => ({ data: await verifyAudit(ctx) }),
  }),
];
