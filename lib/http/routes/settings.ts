import { AuditRow } from "../../contracts/audit";
import { ListQuery, listOf } from "../../contracts/paging";
import { Settings, UpdateSettings } from "../../contracts/settings";
import { listAudit } from "../../domain/audit/list";
import { readSettings } from "../../domain/settings/read";
import { updateSettings } from "../../domain/settings/update";
import { consoleRoute } from "../route";

export const SETTINGS_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/settings",
    auth: "admin",
    data: Settings,
    summary: "Show the instance's settings",
    handle: async (ctx) => ({ data: await readSettings(ctx.store) }),
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/settings",
    auth: "admin",
    body: UpdateSettings,
    data: Settings,
    summary: "Change the instance's settings",
    handle: async (ctx, { body }) => ({ data: await updateSettings(ctx, body) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/audit",
    auth: "admin",
    query: ListQuery,
    data: listOf(AuditRow),
    summary: "List what was changed, by whom and from where",
    // The door has read the query by the schema above; its declared type is the loose one of every route.
    handle: async (ctx, { query }) => ({ data: await listAudit(ctx, query as ListQuery) }),
  }),
];
