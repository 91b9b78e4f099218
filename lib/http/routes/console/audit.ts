import { listAudit } from "../../../console/audit/list";
import { verifyAudit } from "../../../console/audit/verify";
import { AuditCheck, AuditQuery, AuditRow } from "../../../contracts/console/audit";
import { listOf } from "../../../contracts/paging";
import { consoleRoute } from "../../core/route";

export const AUDIT_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/audit",
    auth: "session",
    query: AuditQuery,
    data: listOf(AuditRow),
    summary: "List what was changed, by whom and from where",
    // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
    handle: async (ctx, { query }) => ({ data: await listAudit(ctx, query as AuditQuery) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/audit/verify",
    auth: "session",
    data: AuditCheck,
    summary: "Check that no row of the audit log was changed or removed",
    handle: async (ctx) => ({ data: await verifyAudit(ctx) }),
  }),
];
