import { Settings, UpdateSettings } from "../../contracts/settings";
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
];
